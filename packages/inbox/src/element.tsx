// The custom element <tidings-inbox>.
import { render } from "preact";

export const draw = (root: Element) => render(<p />, root);
