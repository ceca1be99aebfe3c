/** The package comes without types; what it returns is parsed by the test. */
declare module 'parse-prometheus-text-format' {
  const parse: (text: string) => unknown
  // biome-ignore lint/style/noDefaultExport: it is what the package has
  export default parse
}
