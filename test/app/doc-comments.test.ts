import { expect, test } from 'vitest'
import { commentsOf, sourcesOf, undocumented, undocumentedIn } from './source-comments.ts'

test('each exported function and class of app/ has a doc comment', () => {
  expect(sourcesOf('app').flatMap((path) => undocumented(path, 'functions'))).toEqual([])
})

test('each port of main/ has a doc comment', () => {
  const ports = sourcesOf('main/ports')
  expect(ports.flatMap((path) => undocumented(path, 'functions'))).toEqual([])
  expect(ports.flatMap((path) => undocumented(path, 'interfaces'))).toEqual([])
})

test('comments name their subject instead of an indefinite pronoun', () => {
  const vague = ['app', 'renderer', 'main/ports']
    .flatMap(sourcesOf)
    .flatMap(commentsOf)
    .filter(({ text }) => /\b(?:nobody|somebody|anybody|someone|anyone|no one|whoever)\b/i.test(text))
  expect(vague).toEqual([])
})

test('the scanner sees functions, classes and arrows, with and without a comment', () => {
  expect(undocumentedIn('export function a() {}')).toEqual(['a'])
  expect(undocumentedIn('export class B {}')).toEqual(['B'])
  expect(undocumentedIn('export const c = (x: number) => x')).toEqual(['c'])
  expect(undocumentedIn('export const d = async <T>(x: T) => x')).toEqual(['d'])
  expect(undocumentedIn('export const e = 1')).toEqual([])
  expect(undocumentedIn('/** F. */\nexport function f() {}')).toEqual([])
  expect(undocumentedIn('/**\n * G.\n */\nexport class G {}')).toEqual([])
  expect(undocumentedIn('/* no doc */\nexport function h() {}')).toEqual(['h'])
})
