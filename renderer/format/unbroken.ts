/** The text without line breaks inside a duration or a share: `2 min 20 s`, `5 %` stay on one line. */
export const unbroken = (text: string): string =>
  text.replace(/\d(?: (?:d|h|min|s|%)(?![\p{L}\d]))(?: \d+ (?:h|min|s)(?![\p{L}\d]))?/gu, (part) =>
    part.replaceAll(' ', '\u00a0'),
  )
