import { createHash, randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { AdmittedWindows } from '../../../../main/hosts/admitted-windows.ts'
import { Admission } from '../../../../main/hosts/browser/admission.ts'
import { BrowserWindows } from '../../../../main/hosts/browser/browser-windows.ts'
import type { PushSink } from '../../../../main/hosts/browser/push-stream.ts'
import { digestOf } from '../../../../main/network/random-secret.ts'
import { proves } from '../../../proof/proves.ts'
import { SteppedClock } from '../../stepped-clock.ts'
import { FakeWindows } from './fake-windows.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Another secret whose digest begins as that of `secret` does. */
function alike(secret: string, bytes: number): string {
  const wanted = sha256(secret).subarray(0, bytes).toString('hex')
  for (let count = 0; ; count += 1) {
    const other = `guess-${count}`
    if (sha256(other).subarray(0, bytes).toString('hex') === wanted) return other
  }
}

test('a code whose digest nearly matches is rejected', () => {
  const admission = new Admission({ randomBytes, monotonicMs: () => 0 })
  const guess = alike(admission.code, 2)
  expect(admission.offer(guess)).toEqual({ kind: 'refused' })
  expect(admission.offer(admission.code)).toEqual({ kind: 'admitted' })
  proves('W4', { level: 2, cases: 1 })
})

test('a bearer is looked up by its whole digest', () => {
  const bearer = 'a-bearer'
  const other = alike(bearer, 2)
  expect(digestOf(other).slice(0, 2)).toBe(digestOf(bearer).slice(0, 2))
  expect(digestOf(other)).not.toBe(digestOf(bearer))
  expect(Buffer.from(digestOf(bearer), 'base64url')).toEqual(sha256(bearer))
})

test('a bearer that opens one push stream after another has at most four', () => {
  const clock = new SteppedClock()
  const admitted = new AdmittedWindows({ clock, admitted: () => {} })
  const windows = new BrowserWindows({ windows: new FakeWindows(), clock, randomBytes, admitted })
  const bearer = windows.admit() ?? ''
  const sinks = Array.from({ length: 20 }, () => new PassThrough())
  for (const sink of sinks) windows.find(bearer)?.stream(sink as unknown as PushSink)
  expect(sinks.map(({ writableEnded }) => writableEnded)).toEqual(sinks.map((_, index) => index < 16))
  windows.close()
  proves('W6', { level: 2, cases: sinks.length })
})
