/** Joins class names of a CSS module. Leaves out `false` and `undefined`. */
export type Classes = (...names: readonly (string | false | undefined)[]) => string

export const classesOf =
  (sheet: Readonly<Record<string, string>>): Classes =>
  (...names) =>
    names
      .filter((name) => name !== false && name !== undefined)
      .map((name) => sheet[name] ?? name)
      .join(' ')
