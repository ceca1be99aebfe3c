import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { productSources, type Source } from './measure.ts'
import { markdownSentences, splitSentences, wordsOf } from './sentences.ts'
import { type Text, textsOf } from './texts.ts'

/** One place that breaks a rule of writing, by its line (from 1). */
export interface Fault {
  readonly path: string
  readonly line: number
  readonly why: string
}

/** Maximum number of words in a sentence, in a document and in the window. */
const MAX_WORDS = { document: 25, window: 12 } as const
const MAX_COMMENT = 110
const MAX_SUBJECT = 72

/** Pages that programs write. */
const GENERATED = /^test\/(?:PROMISES|TRUTH|TRUTH-LIVE|BENCH|PLANS)\.md$/

/** Sentences of documents that are too long. */
export function longSentences({ path, text }: Source): readonly Fault[] {
  return markdownSentences(text).flatMap(({ line, text: sentence }) => {
    const words = wordsOf(sentence).length
    return words > MAX_WORDS.document ? [{ path, line, why: `${words} words: ${sentence}` }] : []
  })
}

/**
 * Files whose texts are read in a terminal, by programs or in a document. They may be as long as those of a
 * document.
 */
const NOT_IN_WINDOW =
  /^main\/(?:hosts\/terminal|hosts\/browser|gateway|metrics|network|packaging|simulator|storage)\//
/** SQL, HTML, CSS and code, which are not sentences. */
const NO_PROSE =
  /\b(?:SELECT|INSERT|UPDATE|DELETE|PRAGMA|CREATE|BEGIN)\b|<[a-z!/]|\{.*[:;].*\}|^\s*import |charset=/

const proseOf = (source: Source): readonly Text[] =>
  textsOf(source).filter(({ text }) => !NO_PROSE.test(text))

/** Sentences of the window, of dialogs and of errors that are too long. */
export function longTexts(source: Source): readonly Fault[] {
  const most = NOT_IN_WINDOW.test(source.path) ? MAX_WORDS.document : MAX_WORDS.window
  return proseOf(source).flatMap(({ path, line, text }) =>
    splitSentences(text)
      .filter((sentence) => wordsOf(sentence).length > most)
      .map((sentence) => ({ path, line, why: `${wordsOf(sentence).length} words: ${sentence}` })),
  )
}

/** Words that a colleague at a desk would not use for what software does. */
const DIALECT =
  /\b(?:let in|lets? go|brings?|brought|comes? back|came back|goes? on|going on|went on|puts? off|holds?|held|tells?|told|stands?|stood|speaks? of|spoke|kept|is none|are none|whoever|beside|mended)\b/i

/** Texts with a word from `DIALECT`. */
export function dialect(source: Source): readonly Fault[] {
  return proseOf(source).flatMap(({ path, line, text }) => {
    const word = DIALECT.exec(text)?.[0]
    return word === undefined ? [] : [{ path, line, why: `“${word}”: ${text}` }]
  })
}

/**
 * The words of `DIALECT` that have no other meaning. They may not occur in comments and titles of tests
 * either.
 */
const DIALECT_ANYWHERE =
  /\b(?:let in|comes? back|came back|goes on|went on|told|speaks? of|spoke|whoever|beside|mended)\b/i
const COMMENT = /^\s*(?:\/\/|\/?\*)/
const TITLE = /^\s*(?:(?:test|it|describe|on[A-Z]\w+)(?:\.\w+)?|[^'"`]*\))\(\s*(['"`])(.*?)\1/

/** Comments and titles of tests with a word from `DIALECT_ANYWHERE`. */
export function dialectAnywhere({ path, text }: Source): readonly Fault[] {
  const isTest = /\.(?:test|spec)\.tsx?$/.test(path)
  return text.split('\n').flatMap((line, index) => {
    const read = COMMENT.test(line) ? line.trim() : isTest ? (TITLE.exec(line)?.[2] ?? '') : ''
    const word = DIALECT_ANYWHERE.exec(read)?.[0]
    return word === undefined ? [] : [{ path, line: index + 1, why: `“${word}”: ${read}` }]
  })
}

/** Lines of comments that are too wide. */
export function wideComments({ path, text }: Source): readonly Fault[] {
  return text.split('\n').flatMap((line, index) => {
    if (!/^\s*(?:\/\/|\/?\*)/.test(line) || line.length <= MAX_COMMENT || /https?:/.test(line)) return []
    return [{ path, line: index + 1, why: `${line.length} characters` }]
  })
}

/** What is wrong with a commit's subject; empty if nothing is. */
export function subjectFaults(subject: string): readonly string[] {
  const [first = ''] = subject.split(' ')
  return [
    ...(subject.length > MAX_SUBJECT ? [`${subject.length} characters`] : []),
    ...(/^\p{Lu}/u.test(subject) ? [] : ['begins with no capital letter']),
    ...(/[.!]$/.test(subject) ? ['ends with a full stop'] : []),
    ...(/^(?!Embed|Feed|Need|Bring|String|Speed).*(?:ed|ing)$/.test(first) ? ['is not imperative'] : []),
    ...(subject.split(' ').length < 3 ? ['does not name the thing that changed'] : []),
  ]
}

/**
 * The subjects of all commits after `base`. In a shallow clone without that commit, the subject of the last
 * commit.
 */
function subjects(folder: string, base: string): readonly Fault[] {
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  const isKnown = git('cat-file', '-e', `${base}^{commit}`).status === 0
  const { stdout } = git('log', ...(isKnown ? [`${base}..HEAD`] : ['-1']), '--no-merges', '--format=%h %s')
  return stdout.split('\n').flatMap((line) => {
    const [hash = '', ...words] = line.split(' ')
    return hash === ''
      ? []
      : subjectFaults(words.join(' ')).map((why) => ({ path: `commit ${hash}`, line: 0, why }))
  })
}

export type Rule = 'long sentences' | 'long texts' | 'dialect' | 'wide comments' | 'commit subjects'

/** All faults of a checkout, by rule. Commits up to `base` are not checked. */
export function faultsOf(folder: string, base: string): Readonly<Record<Rule, readonly Fault[]>> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: folder,
    encoding: 'utf8',
  })
  const files = listed.split('\n').filter((path) => path !== '')
  const read = (path: string): Source => ({ path, text: readFileSync(join(folder, path), 'utf8') })
  const product = productSources(folder)
  const code = product.filter(({ path }) => !path.endsWith('.css'))
  const documents = files.filter((path) => path.endsWith('.md') && !GENERATED.test(path)).map(read)
  const tests = files.filter((path) => /^test\/.*\.tsx?$/.test(path)).map(read)
  return {
    'long sentences': documents.flatMap(longSentences),
    'long texts': code.flatMap(longTexts),
    dialect: [...code.flatMap(dialect), ...[...code, ...tests].flatMap(dialectAnywhere)],
    'wide comments': [...product, ...tests].flatMap(wideComments),
    'commit subjects': subjects(folder, base),
  }
}

/** The content of `prose.json`. */
export interface Leftovers {
  /** The last commit whose subject is not checked. */
  readonly base: string
  /** The remaining older faults of each rule, by file. The sum of each rule may only fall. */
  readonly faults: Readonly<Partial<Record<Rule, Readonly<Record<string, number>>>>>
}

export function countsOf(faults: readonly Fault[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { path } of faults) counts[path] = (counts[path] ?? 0) + 1
  return counts
}

/**
 * The faults that are too many. If a rule has more faults in total than in `leftovers`, returns those of the
 * files that have more than before.
 */
export function newFaults(
  faults: Readonly<Record<Rule, readonly Fault[]>>,
  leftovers: Leftovers['faults'],
): readonly string[] {
  return Object.entries(faults).flatMap(([rule, all]) => {
    const counts = countsOf(all)
    const allowed = leftovers[rule as Rule] ?? {}
    // Only the sum counts, so that a file may be renamed or divided.
    if (all.length <= Object.values(allowed).reduce((sum, count) => sum + count, 0)) return []
    return all
      .filter(({ path }) => (counts[path] ?? 0) > (allowed[path] ?? 0))
      .map(({ path, line, why }) => `${path}:${line}  ${rule}: ${why}`)
  })
}
