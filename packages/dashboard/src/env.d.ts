declare module "*.module.css" {
  const names: Readonly<Record<string, string>>;
  export default names;
}
declare module "*.css";
/** Every style sheet below src/, in the order styles, kit, app, screens (scripts/build.mjs). */
declare module "virtual:styles";
