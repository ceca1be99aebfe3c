import { expect, test } from 'vitest'
import { commentsOf, sourcesOf, textOf } from '../source-comments.ts'

const SECTIONS = new Set(
  [...textOf('app/service/README.md').matchAll(/^#{2,4} (\d+(?:\.\d+)*)\.? /gm)].map(([, number]) => number),
)

/**
 * The sections that a text cites. Of `service 2.2, 3 and 8.3` these are all three numbers, of `service 8.3.1
 * to 8.3.4` both ends.
 */
function citedIn(text: string): readonly string[] {
  const lists = text.matchAll(/\bservice ((?:\d+(?:\.\d+)*)(?:(?:, | and | to | against )\d+(?:\.\d+)*)*)/gi)
  return [...lists].flatMap(([, list = '']) => list.match(/\d+(?:\.\d+)*/g) ?? [])
}

const SOURCES = ['app', 'main', 'renderer', 'test'].flatMap(sourcesOf)

test('each section of the specification that a comment cites exists', () => {
  const cited = SOURCES.flatMap((path) =>
    commentsOf(path).flatMap(({ at, text }) => citedIn(text).map((section) => ({ at, section }))),
  )
  expect(cited.length).toBeGreaterThan(80)
  expect(cited.filter(({ section }) => !SECTIONS.has(section))).toEqual([])
})

test('no comment cites a document that is not in the repository', () => {
  const lost = SOURCES.flatMap(commentsOf).filter(({ text }) => /\b(?:service|public-facts)\.md\b/.test(text))
  expect(lost).toEqual([])
})

test('a citation is found alone, in a list and in a range', () => {
  expect(citedIn('One key (service 4.2).')).toEqual(['4.2'])
  expect(citedIn('Source: service 2.2, 3, 8.3.')).toEqual(['2.2', '3', '8.3'])
  expect(citedIn('rolling (service 8.3.1 to 8.3.4)')).toEqual(['8.3.1', '8.3.4'])
})
