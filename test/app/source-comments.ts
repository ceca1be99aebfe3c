import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The TypeScript files under a folder of the project, as paths from its root. */
export function sourcesOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
}

export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

export interface SourceComment {
  /** `path:line` of the comment's first line. */
  readonly at: string
  readonly text: string
}

/** The comments of a file: a block, a run of whole lines, or the end of one line. */
export function commentsOf(path: string): readonly SourceComment[] {
  const comments: SourceComment[] = []
  let block: { at: string; lines: string[] } | undefined
  for (const [index, line] of textOf(path).split('\n').entries()) {
    const at = `${path}:${index + 1}`
    if (block === undefined) {
      const start = /^\s*\{?\/\*+ ?(.*)$/.exec(line)
      const rest = /(?:^|\s)\/\/ (.*)$/.exec(line)
      if (start) block = { at, lines: [start[1] ?? ''] }
      else if (rest) comments.push({ at, text: rest[1] ?? '' })
    } else block.lines.push(line.replace(/^\s*\* ?/, ''))
    if (block !== undefined && line.includes('*/')) {
      comments.push({ at: block.at, text: block.lines.join(' ').replace(/\s*\*\/.*$/, '') })
      block = undefined
    }
  }
  return comments
}

const EXPORTED =
  /^export (?:(?:async )?function\*? (\w+)|(?:abstract )?class (\w+)|const (\w+)(?:: [^=]+)? = (?:async )?(?:\(|<\w|\w+ =>))/
const EXPORTED_INTERFACE = /^export interface (\w+)/

/** The functions and classes, or the interfaces, that a file exports without a doc comment right above. */
export function undocumented(path: string, what: 'functions' | 'interfaces'): readonly string[] {
  return undocumentedIn(textOf(path), what).map((name) => `${path} ${name}`)
}

/** Like `undocumented`, for a text. Returns the names. */
export function undocumentedIn(
  text: string,
  what: 'functions' | 'interfaces' = 'functions',
): readonly string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const found = (what === 'functions' ? EXPORTED : EXPORTED_INTERFACE).exec(line)
    const name = found?.slice(1).find((group) => group !== undefined)
    return name === undefined || endsDocComment(lines, index - 1) ? [] : [name]
  })
}

function endsDocComment(lines: readonly string[], last: number): boolean {
  if (!lines[last]?.trimEnd().endsWith('*/')) return isOverload(lines, last)
  for (let at = last; at >= 0; at -= 1) {
    const line = lines[at] ?? ''
    if (line.startsWith('/**')) return true
    if (!line.startsWith(' *')) return false
  }
  return false
}

/** Whether a line is a further signature of the function above: `export function f(…): T` without a body. */
const isOverload = (lines: readonly string[], last: number): boolean =>
  /^export function .*[^{]$/.test(lines[last] ?? '')
