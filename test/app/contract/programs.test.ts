import { expect, test } from 'vitest'
import { PROGRAM_NAME } from '../../../app/contract/programs.ts'

test.each(['a', '7', 'my notes', 'a.b_c-d', 'v1', '2 bots', 'é', 'робот 2', 'a  ._-  b'])(
  '%j is the name of a program',
  (name) => expect(name).toMatch(PROGRAM_NAME),
)

test.each([
  '',
  ' ',
  ' a',
  'a ',
  '-a',
  'a-',
  '.',
  'a/b',
  'a\nb',
  'a"b',
  'a<b',
  'a:b',
  'a,b',
  '€uro',
  'bot\u202e',
])('%j is not the name of a program', (name) => expect(name).not.toMatch(PROGRAM_NAME))
