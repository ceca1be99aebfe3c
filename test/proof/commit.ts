import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Generated pages. They are written after the results, so their changes do not count. */
const PAGES = [
  'test/mutation/results.json',
  'test/PROMISES.md',
  'test/BENCH.md',
  'test/TRUTH.md',
  'test/TRUTH-LIVE.md',
  'test/PLANS.md',
]

export const origin = z.object({
  commit: z.string().min(1),
  /** Whether there were no uncommitted changes. Absent if that was not checked. */
  isClean: z.boolean().optional(),
  date: z.iso.datetime(),
})

/** The sources to which a result belongs, and its time. */
export type Origin = z.infer<typeof origin>

/** The present commit and time. A copy of the project without its Git history has no commit. */
export function originNow(date = new Date()): Origin {
  if (head() === undefined) return { commit: NOT_NOTED, date: date.toISOString() }
  const changes = git('status', '--porcelain', '--', '.', ...PAGES.map((page) => `:!${page}`))
  return {
    commit: head() ?? NOT_NOTED,
    isClean: changes === '',
    date: date.toISOString(),
  }
}

/** Whether only lists of mutants and generated pages differ between `commit` and the present commit. */
export function onlyMutantsDiffer(commit: string): boolean {
  const others = [...PAGES, 'test/sabotage/*-mutants.ts'].map((path) => `:!${path}`)
  try {
    return git('diff', '--name-only', commit, 'HEAD', '--', '.', ...others) === ''
  } catch {
    return false
  }
}

/** The commit of results that do not name one. */
export const NOT_NOTED = 'not noted'

/** Commit and time in words, for a page. */
export function originWords({ commit, isClean, date }: Origin): string {
  const when = `${date.slice(0, 16).replace('T', ' ')} UTC`
  if (commit === NOT_NOTED) return `**of a commit that was not noted**, ${when}`
  const changes = isClean === false ? ', **with changes that are not committed**' : ''
  return `commit \`${commit.slice(0, 10)}\`${changes}, ${when}`
}

function head(): string | undefined {
  try {
    return git('rev-parse', '--short=10', 'HEAD')
  } catch {
    return undefined
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}
