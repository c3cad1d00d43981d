// Text files that are embedded.
declare module '*.txt' {
  const text: string;
  export default text;
}
