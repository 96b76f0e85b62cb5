// Values that follow quick changes with a pause, so that a request is made when the typing has paused.
import { useEffect, useRef, useState } from "react";

/** The value as it was when it last stayed the same for this time. */
export function useSettled<T>(value: T, ms = 350): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** A field's text, passed to `onSettle` once the typing has paused; a value from outside replaces it. */
export function useSettledText(
  outside: string,
  onSettle: (text: string) => void,
  ms = 300,
): [string, (text: string) => void] {
  const [text, setText] = useState(outside);
  const told = useRef(outside);
  const latest = useRef(onSettle);
  latest.current = onSettle;
  useEffect(() => {
    if (outside === told.current) return;
    told.current = outside;
    setText(outside);
  }, [outside]);
  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      latest.current(text);
    }, ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return [text, setText];
}
