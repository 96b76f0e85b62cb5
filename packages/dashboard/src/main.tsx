// The entry of the dashboard.
import { createRoot } from "react-dom/client";

const place = document.getElementById("app");
if (place) createRoot(place).render(<p />);
