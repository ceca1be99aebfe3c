import { describe, expect, it } from 'vitest'
import {
  checkJoinedDesk,
  checkNewDesk,
  type DeskField,
  placedError,
} from '../../../renderer/desk/desk-form.ts'

const typed =
  (fields: Partial<Record<DeskField, string>>) =>
  (name: DeskField): string =>
    fields[name] ?? ''

describe('the form of a new desk', () => {
  it('takes several servers, and leaves out empty fields', () => {
    expect(checkNewDesk(typed({ servers: ' tls://a:4222, tls://b:4222\ntls://c:4222 ' }))).toEqual({
      ok: true,
      desk: { servers: ['tls://a:4222', 'tls://b:4222', 'tls://c:4222'] },
    })
    const whole = { servers: 'nats://localhost:4222', name: 'SERVER', tlsCa: '/ca.pem', credentials: 'u:p' }
    expect(checkNewDesk(typed(whole))).toEqual({
      ok: true,
      desk: { ...whole, servers: ['nats://localhost:4222'] },
    })
  })

  it('asks for an address, and for not too many', () => {
    expect(checkNewDesk(typed({}))).toEqual({
      ok: false,
      errors: { servers: 'Enter an address, such as nats://localhost:4222.' },
    })
    const nine = Array.from({ length: 9 }, (_, at) => `nats://h${at}:4222`).join(' ')
    expect(checkNewDesk(typed({ servers: nine }))).toMatchObject({
      errors: { servers: 'Enter at most 8 addresses.' },
    })
    expect(checkNewDesk(typed({ servers: `nats://${'a'.repeat(260)}` }))).toMatchObject({
      errors: { servers: 'Enter at most 255 characters.' },
    })
  })

  it('limits every field, without repeating what was typed', () => {
    const long = typed({
      servers: 'nats://h:4222',
      name: 'x'.repeat(41),
      tlsCa: 'x'.repeat(1025),
      credentials: 'x'.repeat(8193),
    })
    expect(checkNewDesk(long)).toEqual({
      ok: false,
      errors: {
        name: 'Enter at most 40 characters.',
        tlsCa: 'Enter at most 1024 characters.',
        credentials: 'Enter at most 8192 characters.',
      },
    })
  })
})

describe('the form of a desk to join', () => {
  it('needs an invitation', () => {
    expect(checkJoinedDesk(typed({ name: 'LAPTOP' }))).toEqual({
      ok: false,
      errors: { invitation: 'Paste an invitation.' },
    })
    expect(checkJoinedDesk(typed({ invitation: 'headroom-desk-1.a.b' }))).toEqual({
      ok: true,
      desk: { invitation: 'headroom-desk-1.a.b' },
    })
    expect(checkJoinedDesk(typed({ invitation: 'x'.repeat(4097) }))).toMatchObject({
      errors: { invitation: 'Enter at most 4096 characters.' },
    })
  })
})

describe('main’s error', () => {
  const placed = (code: string, form: 'new' | 'joined' = 'new') =>
    placedError({ ok: false, code, message: 'Why.' }, form)

  it('is next to the field that it concerns', () => {
    expect(placed('address')).toEqual({ servers: 'Why.' })
    expect(placed('tls-ca')).toEqual({ tlsCa: 'Why.' })
    expect(placed('permissions')).toEqual({ credentials: 'Why.' })
    expect(placed('malformed-invitation', 'joined')).toEqual({ invitation: 'Why.' })
  })

  it('about a server is next to the invitation that names it', () => {
    expect(placed('unreachable', 'joined')).toEqual({ invitation: 'Why.' })
    expect(placed('credentials', 'joined')).toEqual({ credentials: 'Why.' })
  })

  it('about nothing in the form has no field', () => {
    expect(placed('has-desk')).toEqual({})
    expect(placedError(undefined, 'new')).toEqual({})
  })
})
