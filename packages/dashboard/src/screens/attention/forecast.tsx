// What the budgets of the form would have done to the messages of the last days: for each channel a bar and its
// figures, then the workflows that are held most.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AttentionBudget, AttentionForecast, ForecastChannel } from "@tidings/contract";
import { operationQuery } from "../../api/hooks.ts";
import { useEnvironment } from "../../api/session.tsx";
import { Table } from "../../kit/data/table.tsx";
import { Notice } from "../../kit/feedback/notice.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../kit/feedback/states.tsx";
import { Aside, Muted } from "../../kit/layout/layout.tsx";
import { Card } from "../../kit/layout/page.tsx";
import { useSettled } from "../../kit/use-settled.ts";
import { channelNames } from "../../outcomes/channel-names.ts";
import css from "./attention.module.css";
import { words } from "./words.ts";

const text = words.forecast;
const days = 30;

export function Forecast({ budgets }: { budgets: AttentionBudget[] }) {
  const { _id } = useEnvironment();
  const settled = useSettled(budgets);
  const { data, error, refetch, isFetching } = useQuery({
    ...operationQuery(_id, "attention.forecast", { body: { budgets: settled, days } }),
    placeholderData: keepPreviousData,
    // The past changes little while a budget is written, and it is counted anew each time.
    staleTime: 5 * 60_000,
    refetchOnWindowFocus: false,
  });
  return (
    <Aside label={text.title}>
      <div>
        <h2>{text.title}</h2>
        <Muted>{text.lead}</Muted>
      </div>
      {error && <ErrorPanel error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={5} />}
      {data && (
        <div className={css.forecast} data-old={isFetching || budgets !== settled} aria-busy={isFetching}>
          <Counted forecast={data} />
        </div>
      )}
    </Aside>
  );
}

function Counted({ forecast: { channels, workflows, isPartial, sentences } }: { forecast: AttentionForecast }) {
  if (channels.every(({ messages }) => messages === 0)) {
    return <EmptyState icon="activity" title={text.none} text={text.noneText} />;
  }
  return (
    <>
      {isPartial && <Notice>{text.partial}</Notice>}
      {channels.map((channel, index) => (
        <ChannelForecast key={channel.channel} forecast={channel} sentence={sentences[index] ?? ""} />
      ))}
      {workflows.length > 0 && (
        <>
          <h3>{text.workflows}</h3>
          <Table
            label={text.workflows}
            rows={workflows}
            keyOf={({ workflowId }) => workflowId}
            columns={[
              {
                title: text.workflow,
                cell: ({ workflowId, name }) => (
                  <Link to="/workflows/$workflowId" params={{ workflowId }}>
                    {name}
                  </Link>
                ),
              },
              { title: text.messages, cell: ({ messages }) => text.count(messages), isNumber: true },
              { title: text.held, cell: ({ held }) => text.count(held), isNumber: true },
            ]}
          />
        </>
      )}
    </>
  );
}

const parts = ["sent", "rolledUp", "delayed", "dropped"] as const;

function ChannelForecast({ forecast, sentence }: { forecast: ForecastChannel; sentence: string }) {
  return (
    <Card title={channelNames[forecast.channel]}>
      <div className={css.forecast}>
        <p>{sentence}.</p>
        {forecast.messages > 0 && <Figures forecast={forecast} />}
        {forecast.people > 0 && <p className={css.hint}>{text.people(forecast.people)}</p>}
      </div>
    </Card>
  );
}

/** The bar is for the eye; its figures are below it as text. */
function Figures({ forecast }: { forecast: ForecastChannel }) {
  const present = parts.filter((part) => part === "sent" || forecast[part] > 0);
  return (
    <>
      <div className={css.bar} aria-hidden="true">
        {present.map((part) => (
          <span key={part} data-part={part} style={{ flexGrow: forecast[part] }} />
        ))}
      </div>
      <dl className={css.figures}>
        {present.map((part) => (
          <div key={part}>
            <dt>
              <i data-part={part} />
              {text.parts[part]}
            </dt>
            <dd>{text.count(forecast[part])}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
