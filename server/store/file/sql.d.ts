// SQL files are imported as text: by Node from source, by esbuild in the binary.
declare module '*.sql' {
  const text: string;
  export default text;
}
