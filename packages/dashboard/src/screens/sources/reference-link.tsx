// The operations of sources, in the reference that the service serves.
import { baseUrl } from "../../api/client.ts";
import { AnchorButton } from "../../kit/inputs/button.tsx";
import { words } from "./words.ts";

export const ReferenceLink = () => (
  <AnchorButton size="small" icon="book" href={new URL("docs#tag-Sources", baseUrl()).href}>
    {words.reference}
  </AnchorButton>
);
