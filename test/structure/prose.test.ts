import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import {
  dialect,
  dialectAnywhere,
  longSentences,
  longTexts,
  newFaults,
  subjectFaults,
  wideComments,
} from './prose.ts'
import { markdownSentences, wordsOf } from './sentences.ts'
import { textsOf } from './texts.ts'

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')
const source = (path: string, text: string) => ({ path, text })

describe('sentences of a document', () => {
  const read = (markdown: string) => markdownSentences(markdown).map(({ text }) => text)

  test('paragraphs, items and cells are read; headings, pictures and code are not', () => {
    const markdown =
      '# A heading\n\nOne line\ngoes on. Two.\n\n- an item\n\n```\ncode. Here\n```\n\n![A picture](x.png)\n'
    expect(read(markdown)).toEqual(['One line goes on.', 'Two.', 'an item'])
    expect(read('| a cell | one fact; another |\n| --- | --- |\n')).toEqual(['a cell', 'one fact', 'another'])
  })

  test('code in backticks is one word, a link is its label', () => {
    expect(read('Run `npm run x -- --y` as [this page](a.md) says.')).toEqual(['Run CODE as this page says.'])
    expect(wordsOf('Run CODE, 20 % – now')).toHaveLength(4)
  })

  test('a number with a point, or a name in lower case after one, ends no sentence', () => {
    expect(read('It takes 1.5 s, e.g. less. Done.')).toEqual(['It takes 1.5 s, e.g. less.', 'Done.'])
  })

  test('26 words are too many, 25 are not', () => {
    expect(longSentences(source('README.md', `${words(25)}.`))).toEqual([])
    expect(longSentences(source('README.md', `Short.\n\n${words(26)}.`))).toMatchObject([{ line: 3 }])
  })
})

describe('texts of a source', () => {
  const read = (text: string) => textsOf(source('renderer/x.tsx', text)).map((found) => found.text)

  test('strings, templates and elements of two words or more', () => {
    expect(read(`const a = 'two words', b = 'one', c = \`\${a} and more\``)).toEqual([
      'two words',
      '… and more',
    ])
    expect(read('const a = <p title="A title here">Press <b>this key</b> for {count} rows</p>')).toEqual([
      'Press this key for … rows',
      'A title here',
      'this key',
    ])
  })

  test('no modules, types, classes of styles or bugs', () => {
    expect(read("import { a } from './two words'\ntype A = 'two words'")).toEqual([])
    expect(read('const a = <p className="two words" data-state="two words" />')).toEqual([])
    expect(read("function f() { throw new Error('never so here') }")).toEqual([])
  })

  test('13 words are too many in the window, 26 in the terminal', () => {
    const text = (count: number) => `const a = '${words(count)}'`
    expect(longTexts(source('renderer/a.ts', text(12)))).toEqual([])
    expect(longTexts(source('renderer/a.ts', text(13)))).toHaveLength(1)
    expect(longTexts(source('main/hosts/terminal/a.ts', text(25)))).toEqual([])
    expect(longTexts(source('main/hosts/terminal/a.ts', text(26)))).toHaveLength(1)
    expect(
      longTexts(source('main/vault/a.ts', "const a = 'SELECT a FROM b WHERE c AND d AND e AND f AND g'")),
    ).toEqual([])
  })

  test('a word outside the field’s vocabulary is reported, a longer word that contains it is not', () => {
    const why = (text: string) => dialect(source('app/a.ts', `const a = '${text}'`)).map((fault) => fault.why)
    expect(why('The history is kept here')).toEqual(['“kept”: The history is kept here'])
    expect(why('No stream brings data')).toHaveLength(1)
    expect(why('Understood, threshold, household')).toEqual([])
    expect(why('Headroom keeps running')).toEqual([])
  })
})

test('a comment or a title of a test with such a word is reported, a string in a test is not', () => {
  const why = (path: string, text: string) => dialectAnywhere(source(path, text)).map((fault) => fault.why)
  expect(why('app/a.ts', '/** What the app was told. */')).toEqual(['“told”: /** What the app was told. */'])
  expect(why('test/a.test.ts', "test('a number comes back', () => {")).toEqual([
    '“comes back”: a number comes back',
  ])
  expect(why('test/a.test.ts', "  ['x', 1],\n])('%s is told', () => {")).toEqual(['“told”: %s is told'])
  expect(why('test/a.test.ts', "onPosix('a link goes on', () => {")).toEqual(['“goes on”: a link goes on'])
  expect(why('test/a.test.ts', "const told = 'nobody told it'")).toEqual([])
  expect(why('app/a.ts', '/** Besides it, an untold number. */')).toEqual([])
})

test('a comment of 111 characters is too wide, one of 110 or with an address is not', () => {
  const comment = (length: number) => source('app/a.ts', `// ${'x'.repeat(length - 3)}\n`)
  expect(wideComments(comment(110))).toEqual([])
  expect(wideComments(comment(111))).toMatchObject([{ line: 1 }])
  expect(wideComments(source('app/a.ts', ` * https://example.org/${'x'.repeat(110)}\n`))).toEqual([])
  expect(wideComments(source('app/a.ts', `const a = '${'x'.repeat(110)}'\n`))).toEqual([])
})

test.each([
  ['Show the age of ended incidents in the age column', []],
  ['fix', ['begins with no capital letter', 'does not name the thing that changed']],
  ['Added the age to ended incidents.', ['ends with a full stop', 'is not imperative']],
  [`Show ${'x'.repeat(60)} of rows`, ['73 characters']],
])('%s', (subject, faults) => {
  expect(subjectFaults(subject)).toEqual(faults)
})

describe('faults left from before', () => {
  const fault = (path: string) => ({ path, line: 1, why: 'w' })
  const none = { 'long sentences': [], 'long texts': [], 'wide comments': [], 'commit subjects': [] }

  test('as many as recorded are allowed, one more shows all of the file that has more', () => {
    const faults = { ...none, dialect: [fault('a'), fault('a'), fault('b')] }
    expect(newFaults(faults, { dialect: { a: 2, b: 1 } })).toEqual([])
    expect(newFaults(faults, { dialect: { a: 1, b: 1 } })).toEqual(['a:1  dialect: w', 'a:1  dialect: w'])
  })

  test('a file may be renamed', () => {
    const faults = { ...none, dialect: [fault('new'), fault('new')] }
    expect(newFaults(faults, { dialect: { old: 2 } })).toEqual([])
    expect(newFaults(faults, { dialect: { old: 1 } })).toHaveLength(2)
  })

  test('documents have none', () => {
    const { faults } = JSON.parse(readFileSync(join(projectFolder, 'test/structure/prose.json'), 'utf8'))
    expect(faults['long sentences']).toEqual({})
  })
})
