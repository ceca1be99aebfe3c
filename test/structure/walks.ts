import { dirname, join, normalize } from 'node:path'
import { importsOf, type Source } from './measure.ts'

/** One walk of `main/README.md`: the files whose functions a value passes through, in order. */
export interface Walk {
  readonly name: string
  /** The number in its heading. */
  readonly said: number
  /** Distinct product files in order. A file that does not exist keeps its name from the page. */
  readonly files: readonly string[]
}

/** The walks of a page of `main/`: its headings `### What it is (23 files)` and the file names below each. */
export function walksIn(page: string, sources: readonly Source[]): readonly Walk[] {
  const known = new Set(sources.map(({ path }) => path))
  return page.split(/^### /m).flatMap((part) => {
    const [, name = '', said = ''] = /^(.+) \((\d+) files/.exec(part) ?? []
    if (name === '') return []
    let folder = 'main'
    // The way in a browser is left out. It leads through two other files.
    const onDesktop = part.replaceAll(/\(In a browser:[^)]*\)/g, '')
    const files = [...onDesktop.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, text = '']) => {
      const places = [join(folder, text), join('main', text), text].map((path) => normalize(path))
      const found = places.find((path) => known.has(path)) ?? text
      folder = dirname(found)
      return found
    })
    return [{ name, said: Number(said), files: [...new Set(files)] }]
  })
}

/**
 * Files of a walk that are more than two imports away from all its other files. A value passes from one file
 * to the next by a call, or by an interface that both import.
 */
export function strayFiles({ files }: Walk, sources: readonly Source[]): readonly string[] {
  const near = new Map<string, Set<string>>()
  const tie = (a: string, b: string) => near.set(a, (near.get(a) ?? new Set([a])).add(b))
  for (const { from, to } of sources.flatMap(importsOf)) {
    tie(from, to)
    tie(to, from)
  }
  const reach = (file: string) =>
    new Set([...(near.get(file) ?? [])].flatMap((one) => [...(near.get(one) ?? [])]))
  return files.filter((file) => {
    const there = reach(file)
    return !files.some((other) => other !== file && there.has(other))
  })
}
