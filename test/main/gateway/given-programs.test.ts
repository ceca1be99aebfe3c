import fc from 'fast-check'
import { expect, test } from 'vitest'
import { givenPrograms } from '../../../main/gateway/given-programs.ts'

const KEY = 'a-key-of-sixteen-characters-or-more=='

test('reads names, classes, weights and keys as written', () => {
  expect(givenPrograms(undefined)).toEqual({ kind: 'given', programs: [] })
  expect(
    givenPrograms(`bot:critical=${KEY}, My notes:normal:2.5=${KEY}2==,x=${'k'.repeat(16)}`),
  ).toMatchObject({
    kind: 'unusable',
    line: expect.stringContaining('entry 2'),
  })
  expect(givenPrograms(`bot:critical=${KEY}, My notes:normal:2.5=2${KEY},x=${'k'.repeat(16)}`)).toEqual({
    kind: 'given',
    programs: [
      { name: 'bot', class: 'critical', weight: 1, key: KEY },
      { name: 'My notes', class: 'normal', weight: 2.5, key: `2${KEY}` },
      { name: 'x', class: 'normal', weight: 1, key: 'k'.repeat(16) },
    ],
  })
})

test.each([
  [KEY.replaceAll('=', ''), 'entry 1: expected name[:class[:weight]][:orders]=key'],
  [`bot=${'k'.repeat(15)}`, 'entry 1: its key needs at least 16 characters'],
  [`a=${KEY},bot:urgent=1${KEY}`, 'entry 2: expected a class after the name: critical, normal, background'],
  [`bot:normal:0=${KEY}`, 'entry 1: expected a weight from 0.01 to 100 after the class'],
  [`bot:normal:1:1=${KEY}`, 'entry 1: expected name[:class[:weight]][:orders]=key'],
  [`bot:orders:critical=${KEY}`, 'entry 1: expected a class after the name'],
  [`bot\n=${KEY},=${KEY}`, 'entry 2: expected a name of up to 40 letters'],
  [`bot=${KEY} and more`, 'entry 1: use letters, digits'],
  [`bot=${KEY},BOT=1${KEY}`, 'entry 2: another program has this name'],
  [`bot=${KEY},notes=${KEY}`, 'entry 2: another program has this key'],
])('rejects %j in one line', (text, line) => {
  const given = givenPrograms(text)
  expect(given.kind === 'unusable' && given.line).toContain(`HEADROOM_GATEWAY_KEYS, ${line}`)
})

test.each([
  [`bot=${'k'.repeat(510)}`, true],
  [`bot=${'k'.repeat(511)}`, false],
  [`bot=${'k'.repeat(15)}=`, true],
  [`bot=aZ09._~+/-${'k'.repeat(8)}==`, true],
  [`bot=${'k'.repeat(16)}=k`, false],
  [`bot=${'='.repeat(16)}`, false],
  [`bot= ${KEY} `, true],
  [`bot : critical : 2 =${KEY}`, true],
  [`${'n'.repeat(40)}=${KEY}`, true],
  [`${'n'.repeat(41)}=${KEY}`, false],
  [`=${KEY}`, false],
  [`bot:=${KEY}`, false],
  [`bot:normal:=${KEY}`, false],
  [`bot:normal:0.01=${KEY}`, true],
  [`bot:normal:100=${KEY}`, true],
  [`bot:normal:100.000001=${KEY}`, false],
  [`bot:normal:0.009999=${KEY}`, false],
  [`bot:normal:1.1234567=${KEY}`, false],
  [`bot:normal:0000001=${KEY}`, false],
  [`bot:normal:1e1=${KEY}`, false],
  [`bot:normal:+1=${KEY}`, false],
  [`bot:normal:1.=${KEY}`, false],
  [`bot:normal:1x2=${KEY}`, false],
  [`bot:normal:x1=${KEY}`, false],
  [`, bot=${KEY},`, true],
  ['', true],
])('accepts %j: %s', (text, isTaken) => {
  expect(givenPrograms(text).kind).toBe(isTaken ? 'given' : 'unusable')
})

test('accepts the maximum number of programs, and rejects one more', () => {
  const entries = (count: number) =>
    Array.from({ length: count }, (_, i) => `bot ${i}=${KEY.replace('a', `${i}`)}`).join(',')
  expect(givenPrograms(entries(64))).toMatchObject({ kind: 'given' })
  expect(givenPrograms(entries(65))).toEqual({
    kind: 'unusable',
    line: 'HEADROOM_GATEWAY_KEYS: at most 64 programs',
  })
})

test('an error line contains no part of the input', () => {
  const secret = fc.stringMatching(/^[A-Z0-9]{12,40}$/)
  const around = fc.constantFrom('', '=', ':', ',', 'bot=', 'bot:critical=', '=bot', ':normal=bot', ' ')
  fc.assert(
    fc.property(around, secret, around, (before, key, after) => {
      const given = givenPrograms(`${before}${key}${after}`)
      if (given.kind === 'unusable') expect(given.line).not.toContain(key)
    }),
  )
})

test.each([
  [`bot:critical:1:orders=${KEY}`, { name: 'bot', class: 'critical', weight: 1, maxOrders: 30, key: KEY }],
  [`bot:critical:orders=${KEY}`, { name: 'bot', class: 'critical', weight: 1, maxOrders: 30, key: KEY }],
  [`bot : orders =${KEY}`, { name: 'bot', class: 'normal', weight: 1, maxOrders: 30, key: KEY }],
  [`orders=${KEY}`, { name: 'orders', class: 'normal', weight: 1, key: KEY }],
])('a trailing :orders, and nothing else, grants orders: %j', (text, program) => {
  expect(givenPrograms(text)).toEqual({ kind: 'given', programs: [program] })
})
