import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Announcements, groupsOf, groupTitle } from '../../../app/alerts/groups.ts'
import type { AlertKind } from '../../../app/conditions/kinds.ts'
import type { Alert } from '../../../app/contract/alerts.ts'
import { exampleAlert } from '../../main/hosts/terminal/example-snapshot.ts'

const alert = (subject: string, at: number, kind: AlertKind = 'permission-missing') =>
  exampleAlert({
    id: `${kind}/${subject}@${at}`,
    kind,
    severity: 'warning',
    subject,
    since: at,
    at,
    title: `${subject}: permission missing`,
  })
const rows = (count: number, at = 0) => Array.from({ length: count }, (_, index) => alert(`q${index}`, at))

test('eighteen missing permissions are one group, and two are two', () => {
  expect(groupsOf(rows(18)).map(({ alerts }) => alerts.length)).toEqual([18])
  expect(groupsOf(rows(2)).map(({ alerts }) => alerts.length)).toEqual([1, 1])
  expect(groupTitle('q0: permission missing', 18)).toBe('q0: permission missing, and 17 more')
})

test.each([
  [5_000, [3]],
  [5_001, [1, 1, 1]],
])('three of a kind within %d ms make groups of %j', (lastAtMs, sizes) => {
  const alerts = [alert('a', 0), alert('b', 10), alert('c', lastAtMs)]
  expect(groupsOf(alerts).map(({ alerts: members }) => members.length)).toEqual(sizes)
})

test('kinds and keys are not mixed', () => {
  const alerts = [
    alert('a', 0),
    alert('b', 0),
    alert('Accounts', 0, 'empty'),
    { ...alert('c', 0), profile: 'key-2' },
  ]
  expect(groupsOf(alerts)).toHaveLength(4)
})

test('the worst group is first, among equals the latest', () => {
  const critical = { ...alert('d', 0, 'empty'), severity: 'critical' as const }
  const alerts = [alert('a', 20), alert('b', 30, 'low'), critical]
  expect(groupsOf(alerts).map(({ alerts: [first] }) => first.subject)).toEqual(['d', 'b', 'a'])
})

test('every alert is in exactly one group', () => {
  const kinds = fc.constantFrom<AlertKind>('empty', 'low')
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(30_000), kinds)), (raised) => {
      const alerts = raised.map(([at, kind], index) => alert(`q${index}`, at, kind))
      const grouped = groupsOf(alerts).flatMap((group) => group.alerts.map(({ id }) => id))
      expect(grouped.toSorted()).toEqual(alerts.map(({ id }) => id).toSorted())
    }),
  )
})

const told = (effects: ReturnType<Announcements['raised']>) =>
  effects.map((effect) => (effect.kind === 'announce' ? `+ ${effect.announcement.title}` : `- ${effect.id}`))

test('announces eighteen at once once, and withdraws them once when the last has ended', () => {
  const announcements = new Announcements()
  const all = rows(18)
  expect(told(announcements.raised(all))).toEqual(['+ q0: permission missing, and 17 more'])
  const ends = all.flatMap(({ id }) => told(announcements.ended(id)))
  expect(ends).toEqual([`- ${all[0]?.id}/group`])
})

test('the third within five seconds replaces the first two, and the fourth permission missing', () => {
  const announcements = new Announcements()
  const [a, b, c, d] = [alert('a', 0), alert('b', 1_000), alert('c', 5_000), alert('d', 5_000)]
  expect(told(announcements.raised([a]))).toEqual(['+ a: permission missing'])
  expect(told(announcements.raised([b]))).toEqual(['+ b: permission missing'])
  expect(told(announcements.raised([c]))).toEqual([
    `- ${a.id}`,
    `- ${b.id}`,
    '+ c: permission missing, and 2 more',
  ])
  expect(told(announcements.raised([d]))).toEqual([])
  expect(told(announcements.raised([alert('e', 5_001)]))).toEqual(['+ e: permission missing'])
})

const critical = (subject: string, at: number): Alert => ({ ...alert(subject, at), severity: 'critical' })

test('a critical alert is announced even if its group has been announced as a warning', () => {
  const announcements = new Announcements()
  const [a, b, c] = [alert('a', 0), alert('b', 0), alert('c', 0)]
  announcements.raised([a, b, c])
  announcements.ended(b.id)
  const worse = announcements.raised([critical('b', 3_000)])
  expect(told(worse)).toEqual([`- ${a.id}/group`, '+ b: permission missing, and 2 more'])
  expect(worse).toContainEqual(
    expect.objectContaining({ announcement: expect.objectContaining({ severity: 'critical' }) }),
  )
  expect(announcements.raised([critical('d', 4_000)])).toEqual([])
})

test('a group is announced as critical if one of its earlier alerts is', () => {
  const announcements = new Announcements()
  announcements.raised([critical('a', 0)])
  const effects = announcements.raised([alert('b', 1_000), alert('c', 1_000)])
  expect(effects).toContainEqual({
    kind: 'announce',
    announcement: expect.objectContaining({
      severity: 'critical',
      title: 'a: permission missing, and 2 more',
    }),
  })
})

test('only open alerts count for a group, and an alert after a group has ended is announced', () => {
  const announcements = new Announcements()
  const [a, b, c, d] = [alert('a', 0), alert('b', 1_000), alert('c', 2_000), alert('d', 3_000)]
  announcements.raised([a, b])
  announcements.ended(a.id)
  expect(told(announcements.raised([c]))).toEqual(['+ c: permission missing'])
  expect(told(announcements.raised([d]))).toEqual([
    `- ${b.id}`,
    `- ${c.id}`,
    '+ d: permission missing, and 2 more',
  ])
  for (const { id } of [b, c, d]) announcements.ended(id)
  const next = alert('e', 4_000)
  expect(told(announcements.raised([next]))).toEqual(['+ e: permission missing'])
  expect(told(announcements.ended(next.id))).toEqual([`- ${next.id}`])
})

test('a single alert is withdrawn by its own id', () => {
  const announcements = new Announcements()
  const one = alert('a', 0)
  announcements.raised([one])
  expect(told(announcements.ended(one.id))).toEqual([`- ${one.id}`])
})
