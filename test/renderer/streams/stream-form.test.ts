import { describe, expect, it } from 'vitest'
import type { StreamKind } from '../../../app/service/stream-kinds.ts'
import { STREAM_KINDS } from '../../../app/service/stream-kinds.ts'
import { streamPath } from '../../../app/service/stream-paths.ts'
import { checkStreamForm, streamForm } from '../../../renderer/streams/stream-form.ts'

const initial = (kind: StreamKind) => (name: string) =>
  streamForm(kind).options.find((option) => option.name === name)?.initial ?? ''

describe('the form that opens a stream', () => {
  it.each(STREAM_KINDS)('accepts %s in a form that the service’s rules allow', (kind) => {
    const checked = checkStreamForm(kind, streamForm(kind).placeholder, initial(kind))
    if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
    const { target, options = {} } = checked
    expect(streamPath({ kind, target, options })).toMatchObject({ ok: true })
  })

  it.each<[StreamKind, string, RegExp]>([
    ['quotes', '', /Enter symbols/],
    ['quotes', 'MSFT,,AAPL', /extra comma/],
    ['quotes', 'A'.repeat(513), /512/],
    ['depth', 'MSFT,AAPL', /one symbol/],
    ['positions', '../orders', /letters and digits/],
    ['orders-by-id', '123456782', /slash/],
    ['orders-by-id', '123456782/', /slash/],
  ])('of %s %j shows what is wrong', (kind, target, words) => {
    expect(checkStreamForm(kind, target, initial(kind))).toMatchObject({
      ok: false,
      errors: { target: expect.stringMatching(words) },
    })
  })

  it('trims the blanks of a pasted list', () => {
    expect(checkStreamForm('quotes', 'MSFT, AAPL', () => '')).toEqual({ ok: true, target: 'MSFT,AAPL' })
  })

  it('requires whole numbers where the endpoint does', () => {
    const wrong = checkStreamForm('tickbars', 'MSFT', (name) => (name === 'interval' ? '0' : '10'))
    expect(wrong).toMatchObject({ ok: false, errors: { interval: expect.stringContaining('whole number') } })
    expect(checkStreamForm('barcharts', 'MSFT', (name) => (name === 'unit' ? 'Year' : '1')).ok).toBe(false)
  })
})
