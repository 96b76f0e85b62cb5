// Two keywords of ajv with bounds that the originals lack. All errors of a value are collected, and a body of some
// megabytes can have millions: after a thousand errors, other items and members are not checked. Neither are the
// items of a list that is longer than its `maxItems`: the list is refused for its length.
import { _, type Ajv, type CodeKeywordDefinition, type KeywordCxt, type Name } from "ajv";
import codegen from "ajv/dist/compile/codegen/index.js";
import names from "ajv/dist/compile/names.js";
import util from "ajv/dist/compile/util.js";
import additionalProperties from "ajv/dist/vocabularies/applicator/additionalProperties.js";

const maxErrors = 1_000;
const hasEnough = _`${names.default.errors} >= ${maxErrors}`;

export function boundFaults(ajv: Ajv): void {
  for (const keyword of [boundedItems, boundedMembers]) {
    ajv.removeKeyword(keyword.keyword as string);
    ajv.addKeyword(keyword);
  }
}

const boundedItems: CodeKeywordDefinition = {
  keyword: "items",
  type: "array",
  schemaType: ["object", "boolean"],
  before: "uniqueItems",
  code(cxt) {
    const { gen, data, schema, parentSchema, it } = cxt;
    if (util.alwaysValidSchema(it, schema)) return;
    const valid = gen.let("valid", true);
    const length = gen.const("len", _`${data}.length`);
    const { maxItems } = parentSchema as { maxItems?: number };
    const visitAll = () => visitItems(cxt, length, valid);
    if (maxItems === undefined) visitAll();
    else gen.if(_`${length} <= ${maxItems}`, visitAll);
    cxt.ok(valid);
  },
};

function visitItems(cxt: KeywordCxt, length: Name, valid: Name): void {
  const { gen, it, keyword } = cxt;
  gen.forRange("i", 0, length, (index) => {
    gen.if(hasEnough, () => gen.break());
    const itemValid = gen.name("valid");
    cxt.subschema({ keyword, dataProp: index, dataPropType: util.Type.Num }, itemValid);
    gen.if(codegen.not(itemValid), () => {
      gen.assign(valid, false);
      if (!it.allErrors) gen.break();
    });
  });
}

const original = additionalProperties.default;

const boundedMembers: CodeKeywordDefinition = {
  ...original,
  code(cxt) {
    const { gen, data, schema, parentSchema, it } = cxt;
    if (schema !== false || parentSchema.patternProperties) return original.code(cxt);
    const valid = gen.let("valid", true);
    const known = Object.keys((parentSchema.properties as object | undefined) ?? {});
    gen.forIn("key", data, (key) => {
      gen.if(hasEnough, () => gen.break());
      const isKnown = codegen.or(codegen.nil, ...known.map((name) => _`${key} === ${name}`));
      gen.if(known.length > 0 ? codegen.not(isKnown) : true, () => {
        cxt.setParams({ additionalProperty: key });
        cxt.error();
        gen.assign(valid, false);
        if (!it.allErrors) gen.break();
      });
    });
    cxt.ok(valid);
  },
};
