import { expect, test } from 'vitest'
import { isTooLittle, recordedText } from '../../../app/plan/plan-words.ts'
import { proves } from '../../proof/proves.ts'

const HOUR_MS = 3_600_000

test.each([
  [1, 24, '1 minute of the last 24 h is recorded, too little to judge a day'],
  [59, 24, '59 minutes of the last 24 h are recorded, too little to judge a day'],
  [60, 24, '1 h of the last 24 h are recorded'],
  [90, 24, '1.5 h of the last 24 h are recorded'],
  [1440, 24, '24 h of the last 24 h are recorded'],
  [10, 0.5, '10 minutes of the last 30 min are recorded, too little to judge a day'],
])('describes %d recorded minutes of %d h accurately', (minutes, hours, text) => {
  expect(recordedText(minutes, hours * HOUR_MS)).toBe(text)
  expect(isTooLittle(minutes)).toBe(minutes < 60)
  proves('L3', { level: 1, cases: 1 })
})
