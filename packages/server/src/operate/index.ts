// The commands that work on the database of an installation, for the command line `tidings`: the second entry of the
// server's bundle, which the command line loads when one of them is called.
export { migrateDatabase } from "./migrate.ts";
