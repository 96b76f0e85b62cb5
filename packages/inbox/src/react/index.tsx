// What a bundler imports.
export {};
