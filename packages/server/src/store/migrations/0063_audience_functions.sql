-- JavaScript's comparisons over jsonb, for the rules of audiences (docs/decisions/0055-audiences.md). They mean the same
-- as lib/condition-operators.ts: a property test compares the two. A value is never SQL's null, but the JSON one; where
-- a function returns null it says so. No function depends on the encoding of the database, or raises an error.

-- A number as JavaScript writes it.
create function audience_number_text(value float8) returns text language sql immutable strict parallel safe as $$
  select case
    when value = 0 then '0'
    when value in ('Infinity', '-Infinity') then value::text
    when abs(value) >= 1e-6 and abs(value) < 1e21 then value::text::numeric::text
    else regexp_replace(value::text, 'e([+-])0+', 'e\1')
  end
$$;

-- A JSON number as the nearest double, and null for others: PostgreSQL may call it for constants of any kind.
create function audience_float(value jsonb) returns float8 language sql immutable strict parallel safe as $$
  select case
    when abs(n) >= 1.797693134862315807937e308 then sign(n)::float8 * 'Infinity'::float8
    when abs(n) <= 2.4703282292062327208e-324 then 0
    else n::float8
  end from (select (case jsonb_typeof(value) when 'number' then value #>> '{}' end)::numeric as n) as given
$$;

-- The text as a number, as `Number(text)` reads it; null where that is NaN.
create function audience_parse(given text) returns float8 language plpgsql immutable strict parallel safe as $$
declare
  body text := given;
  parts text[];
  digits text;
  first integer;
  power integer;
  total numeric := 0;
  base integer;
begin
  -- White space in front and behind, which outside of ASCII is found in the bytes of UTF-8.
  if body collate "C" ~ '[^ -~]' then
    body := regexp_replace(encode(convert_to(body, 'UTF8'), 'escape'),
      '^(?:[\t\n\v\f\r ]|\\302\\240|\\341\\232\\200|\\342\\200\\(?:20[0-7]|21[0-2]|250|251|257)|\\342\\201\\237|\\343\\200\\200|\\357\\273\\277)+', '');
    body := regexp_replace(body,
      '(?:[\t\n\v\f\r ]|\\302\\240|\\341\\232\\200|\\342\\200\\(?:20[0-7]|21[0-2]|250|251|257)|\\342\\201\\237|\\343\\200\\200|\\357\\273\\277)+$', '');
  else
    body := btrim(body, ' ');
  end if;
  if body = '' then return 0; end if;
  if body ~ '^[+-]?Infinity$' then return body::float8; end if;
  if body ~* '^0(?:x[0-9a-f]+|o[0-7]+|b[01]+)$' then
    base := case lower(substr(body, 2, 1)) when 'x' then 16 when 'o' then 8 else 2 end;
    digits := lower(ltrim(substr(body, 3), '0'));
    if length(digits) > 1100 then return 'Infinity'; end if;
    for i in 1..length(digits) loop
      total := total * base + strpos('0123456789abcdef', substr(digits, i, 1)) - 1;
    end loop;
    return audience_float(to_jsonb(total));
  end if;
  parts := regexp_match(body, '^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?)([0-9]+))?$');
  if parts is null or (parts[2] = '' and coalesce(parts[3], '') = '') then return null; end if;
  -- The power of ten of the first digit that counts: what is out of range would be an error.
  digits := ltrim(parts[2] || coalesce(parts[3], ''), '0');
  if digits = '' then return 0; end if;
  first := length(parts[2]) - (length(parts[2]) + length(coalesce(parts[3], '')) - length(digits)) - 1;
  power := case when length(ltrim(coalesce(parts[5], ''), '0')) > 8 then 100000000
    else coalesce(nullif(parts[5], '')::integer, 0) end;
  if parts[4] = '-' then power := -power; end if;
  power := power + first;
  if power > 309 then return case when parts[1] = '-' then '-Infinity'::float8 else 'Infinity'::float8 end; end if;
  if power < -325 then return 0; end if;
  if power between -306 and 306 then return body::float8; end if;
  digits := left(digits, 800);
  return audience_float(to_jsonb((parts[1] || left(digits, 1) || '.' || substr(digits, 2) || '0e' || power)::numeric));
end $$;

-- A value as JavaScript's `String(value)`.
create function audience_text(value jsonb) returns text language plpgsql immutable strict parallel safe as $$
begin
  case jsonb_typeof(value)
    when 'number' then return audience_number_text(audience_float(value));
    when 'array' then
      return coalesce((
        select string_agg(case jsonb_typeof(item) when 'null' then '' else audience_text(item) end, ',' order by place)
        from jsonb_array_elements(value) with ordinality as items(item, place)), '');
    when 'object' then return '[object Object]';
    when 'null' then return 'null';
    else return value #>> '{}';
  end case;
end $$;

-- `Number(value)`; null where that is NaN.
create function audience_number(value jsonb) returns float8 language plpgsql immutable strict parallel safe as $$
begin
  case jsonb_typeof(value)
    when 'number' then return audience_float(value);
    when 'null' then return 0;
    when 'boolean' then return case when value = 'true' then 1 else 0 end;
    else return audience_parse(audience_text(value));
  end case;
end $$;

-- Truth in JSON Logic: an empty list is false, the text "0" is true.
create function audience_truth(value jsonb) returns boolean language sql immutable parallel safe as $$
  select case jsonb_typeof(value)
    when 'boolean' then value = 'true'
    when 'string' then value <> '""'
    when 'number' then audience_float(value) <> 0
    when 'array' then value <> '[]'
    else coalesce(jsonb_typeof(value) = 'object', false)
  end
$$;

-- `a === b`. Lists and objects are the same only as themselves, which a rule cannot ask.
create function audience_same(a jsonb, b jsonb) returns boolean language sql immutable parallel safe as $$
  select case
    when jsonb_typeof(a) <> jsonb_typeof(b) or jsonb_typeof(a) in ('array', 'object') then false
    when jsonb_typeof(a) = 'number' then audience_float(a) = audience_float(b)
    else a = b
  end
$$;

-- `a == b`.
create function audience_equals(a jsonb, b jsonb) returns boolean language plpgsql immutable parallel safe as $$
declare
  type_a text := jsonb_typeof(a);
  type_b text := jsonb_typeof(b);
begin
  if type_a = type_b then return audience_same(a, b); end if;
  if type_a = 'null' or type_b = 'null' then return false; end if;
  if type_a in ('array', 'object') then
    if type_b in ('array', 'object') then return false; end if;
    if type_b = 'string' then return audience_text(a) = (b #>> '{}') collate "C"; end if;
  elsif type_b in ('array', 'object') and type_a = 'string' then
    return (a #>> '{}') = audience_text(b) collate "C";
  end if;
  return coalesce(audience_number(a) = audience_number(b), false);
end $$;

-- What orders a text as JavaScript does, by units of UTF-16: those beyond U+FFFF come before U+E000.
create function audience_order(value text) returns text language sql immutable strict parallel safe as $$
  select regexp_replace(regexp_replace(encode(convert_to(value, 'UTF8'), 'hex'), '(..)', '\1 ', 'g'),
    'f([0-4]) ', 'ed f\1 ', 'g')
$$;

-- -1, 0 or 1 for a text before, equal to and after another one.
create function audience_compare(a text, b text) returns integer language plpgsql immutable strict parallel safe as $$
begin
  if a = b collate "C" then return 0; end if;
  if a collate "C" ~ '[^\x01-\x7f]' and b collate "C" ~ '[^\x01-\x7f]' then
    return case when audience_order(a) < audience_order(b) collate "C" then -1 else 1 end;
  end if;
  return case when a < b collate "C" then -1 else 1 end;
end $$;

-- `a < b` and, with `or_equal`, `a <= b`.
create function audience_before(a jsonb, b jsonb, or_equal boolean)
returns boolean language plpgsql immutable parallel safe as $$
declare
  is_text_a boolean := jsonb_typeof(a) in ('string', 'array', 'object');
  is_text_b boolean := jsonb_typeof(b) in ('string', 'array', 'object');
  order_of_both integer;
begin
  if is_text_a and is_text_b then
    order_of_both := audience_compare(audience_text(a), audience_text(b));
    return order_of_both < 0 or (or_equal and order_of_both = 0);
  end if;
  if or_equal then return coalesce(audience_number(a) <= audience_number(b), false); end if;
  return coalesce(audience_number(a) < audience_number(b), false);
end $$;

-- `high` is null where it is missing. The bounds may be a list.
create function audience_between(value jsonb, low jsonb, high jsonb)
returns boolean language plpgsql immutable parallel safe as $$
declare
  least jsonb := low;
  most jsonb := high;
begin
  if jsonb_typeof(low) = 'array' then
    least := low -> 0;
    most := low -> 1;
  end if;
  if least is null or most is null or jsonb_typeof(value) = 'null' then return false; end if;
  return audience_before(least, value, true) and audience_before(value, most, true);
end $$;

create function audience_has_item(whole jsonb, part jsonb) returns boolean language sql immutable parallel safe as $$
  select exists (select 1 from jsonb_array_elements(whole) as items(item) where audience_same(item, part))
$$;

-- `in` of JSON Logic, in which also null is searched as text.
create function audience_in(part jsonb, whole jsonb) returns boolean language plpgsql immutable parallel safe as $$
begin
  case jsonb_typeof(whole)
    when 'array' then return audience_has_item(whole, part);
    when 'string' then return whole <> '""' and strpos((whole #>> '{}') collate "C", audience_text(part)) > 0;
    else return false;
  end case;
end $$;

create function audience_contains(whole jsonb, part jsonb) returns boolean language plpgsql immutable parallel safe as $$
begin
  case jsonb_typeof(whole)
    when 'array' then return audience_has_item(whole, part);
    when 'string' then
      return jsonb_typeof(part) <> 'null' and strpos((whole #>> '{}') collate "C", audience_text(part)) > 0;
    else return false;
  end case;
end $$;

create function audience_begins(value jsonb, start jsonb) returns boolean language sql immutable parallel safe as $$
  select jsonb_typeof(value) = 'string' and jsonb_typeof(start) = 'string'
    and starts_with((value #>> '{}') collate "C", start #>> '{}')
$$;

create function audience_ends(value jsonb, ending jsonb) returns boolean language sql immutable parallel safe as $$
  select jsonb_typeof(value) = 'string' and jsonb_typeof(ending) = 'string'
    and right(value #>> '{}', length(ending #>> '{}')) = (ending #>> '{}') collate "C"
$$;

-- The first value with this truth, or the last one.
create function audience_first(truth boolean, variadic given jsonb[])
returns jsonb language sql immutable parallel safe as $$
  select coalesce((
    select value from unnest(given) with ordinality as items(value, place)
    where audience_truth(value) = truth order by place limit 1), given[cardinality(given)])
$$;

-- What an iteration goes over: a value that is not a list has no items.
create function audience_items(value jsonb) returns jsonb language sql immutable parallel safe as $$
  select case jsonb_typeof(value) when 'array' then value else '[]' end
$$;

-- The member at a path, null where it is missing. Lists and texts have a length; that of a text is in units of UTF-16.
create function audience_member(value jsonb, path text[]) returns jsonb language plpgsql immutable parallel safe as $$
declare
  found jsonb := value;
  name text;
  bytes bytea;
  units integer;
begin
  foreach name in array path loop
    case jsonb_typeof(found)
      when 'object' then found := found -> name;
      when 'array' then found := case when name = 'length' then to_jsonb(jsonb_array_length(found)) end;
      when 'string' then
        if name <> 'length' then return null; end if;
        bytes := convert_to(found #>> '{}', 'UTF8');
        units := 0;
        for i in 0..octet_length(bytes) - 1 loop
          units := units + case when get_byte(bytes, i) >= 240 then 2 when get_byte(bytes, i) between 128 and 191 then 0
            else 1 end;
        end loop;
        found := to_jsonb(units);
      else return null;
    end case;
  end loop;
  return found;
end $$;

revoke all on function audience_number_text(float8), audience_float(jsonb), audience_parse(text), audience_text(jsonb),
  audience_number(jsonb), audience_truth(jsonb), audience_same(jsonb, jsonb), audience_equals(jsonb, jsonb),
  audience_order(text), audience_compare(text, text), audience_before(jsonb, jsonb, boolean),
  audience_between(jsonb, jsonb, jsonb), audience_has_item(jsonb, jsonb), audience_in(jsonb, jsonb),
  audience_contains(jsonb, jsonb), audience_begins(jsonb, jsonb), audience_ends(jsonb, jsonb),
  audience_first(boolean, jsonb[]), audience_items(jsonb), audience_member(jsonb, text[]) from public;
