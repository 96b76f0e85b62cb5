// The `items` keyword of the validator, with two bounds that the original does not have. Items of a list that is longer
// than its `maxItems` are not looked at: the list is refused for its length. And after a thousand faults in one value the
// items behind them are not looked at either: all faults are collected, and a body of some megabytes can hold millions.
import { _, type CodeKeywordDefinition, type KeywordCxt, type Name } from "ajv";
import codegen from "ajv/dist/compile/codegen/index.js";
import names from "ajv/dist/compile/names.js";
import util from "ajv/dist/compile/util.js";

const maxErrors = 1_000;

export const boundedItems: CodeKeywordDefinition = {
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
    gen.if(_`${names.default.errors} >= ${maxErrors}`, () => gen.break());
    const itemValid = gen.name("valid");
    cxt.subschema({ keyword, dataProp: index, dataPropType: util.Type.Num }, itemValid);
    gen.if(codegen.not(itemValid), () => {
      gen.assign(valid, false);
      if (!it.allErrors) gen.break();
    });
  });
}
