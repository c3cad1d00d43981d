// The bundler takes stylesheets as imports; to the type checker they are modules without a value.
declare module '*.css';
