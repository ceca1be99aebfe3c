const SPACES = ['', '', ' ', '\t', '\r'] as const

/** An object as JSON in another spelling: white space anywhere, and any character as an escape. */
export function spelledJson(
  fields: readonly (readonly [string, unknown])[],
  chances: readonly number[],
): string {
  let turn = 0
  const chance = () => chances[turn++ % chances.length] ?? 0
  const space = () => SPACES[chance() % SPACES.length] ?? ''
  // Half of the lines have no escapes, because other code parses such lines.
  const escapes = chance() % 2 === 0
  const text = (plain: string) =>
    `"${[...plain]
      .map((char) =>
        escapes && chance() % 3 === 0 && char.length === 1
          ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
          : JSON.stringify(char).slice(1, -1),
      )
      .join('')}"`
  const json = (value: unknown) => (typeof value === 'string' ? text(value) : JSON.stringify(value))
  const pairs = fields.map(([name, value]) => `${space()}${text(name)}${space()}:${space()}${json(value)}`)
  return `${space()}{${pairs.join(`${space()},`)}${space()}}${space()}`
}
