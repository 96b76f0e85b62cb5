// The published schemas that deployment files are checked against. Those of Kubernetes come from its OpenAPI document,
// compiled by the package kubernetes-models; that of Compose is in fixtures/.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Schema, Validator } from "@cfworker/json-schema";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import type { Resource } from "./chart/render.ts";

type Kind = { apiVersion: string; kind: string; prototype: { validate(): void } };

const kinds: Kind[] = [
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
  ServiceMonitor,
];

/** What the schema of its kind has against a resource, including members that the schema does not name. */
export function faultsOfResource(resource: Resource): string[] {
  const { apiVersion, kind, metadata } = resource;
  const place = `${kind} ${metadata.name}`;
  const known = kinds.find((one) => one.apiVersion === apiVersion && one.kind === kind);
  if (!known) return [`${place}: no schema of ${apiVersion} ${kind}`];
  const read = new Set<string>();
  try {
    known.prototype.validate.call(watchReads(resource, "", read));
  } catch (error) {
    return [`${place}: ${(error as Error).message}`];
  }
  const unknown = pathsOf(resource, "").filter((path) => !read.has(path));
  return unknown.map((path) => `${place}: ${path} is not in the schema`);
}

/**
 * The schemas of Kubernetes allow any additional member. Their compiled form reads every member that they name, so a
 * member that was not read is unknown.
 */
function watchReads<T extends object>(value: T, path: string, read: Set<string>): T {
  return new Proxy(value, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver);
      if (typeof key === "symbol" || !Object.hasOwn(target, key)) return member;
      const place = `${path}/${key}`;
      read.add(place);
      return typeof member === "object" && member !== null ? watchReads(member, place, read) : member;
    },
  });
}

const pathsOf = (value: unknown, path: string): string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, member]) => [`${path}/${key}`, ...pathsOf(member, `${path}/${key}`)])
    : [];

const composeFile = join(import.meta.dirname, "fixtures/compose-spec.json");
const compose = new Validator(JSON.parse(readFileSync(composeFile, "utf8")) as Schema, "7", false);

export const faultsOfCompose = (file: unknown): string[] =>
  compose.validate(file).errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
