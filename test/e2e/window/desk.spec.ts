import type { Page } from '@playwright/test'
import type { DeskSummary } from '../../../app/contract/desk.ts'
import type { Snapshot } from '../../../app/contract/snapshot.ts'
import { DESK, DESK_ALONE, NOW_MS, SLOTS } from '../../renderer/fixtures.ts'
import { layoutFaults } from '../../renderer/harness/layout-faults.ts'
import { BUSY } from './plan-fixtures.ts'
import { asked, test as base, copied, expect, overflow, problemsOf } from './window-fixtures.ts'

const test = base.extend({ viewport: { width: 1440, height: 900 } })

const ALONE: Snapshot = {
  ...BUSY,
  gateway: { state: 'serving', url: 'http://127.0.0.1:4791', since: NOW_MS - 3_600_000 },
}

/** The same key on a desk of three: 0.2/s of each quota is the other machines'. */
const ON_DESK: Snapshot = {
  ...ALONE,
  desk: DESK,
  requests: ALONE.requests.map((row) =>
    row.use === null ? row : { ...row, use: { ...row.use, total: row.use.total + 0.2, desk: 0.2 } },
  ),
  slots: SLOTS.map((row) =>
    row.limit === 40 ? { ...row, desk: 3, free: row.free - 3 } : { ...row, desk: 0 },
  ),
}

const [SELF, LAPTOP, SERVER] = DESK.members

/** The same with a program on LAPTOP that waits for Positions. */
const WAITING: Snapshot = {
  ...ON_DESK,
  desk: {
    ...DESK,
    members: [
      SELF,
      {
        ...LAPTOP,
        programs: [
          {
            ...{ name: 'screener', class: 'background', weight: 3, perSecond: 0.25, waiting: 4 },
            longestWaitMs: 41_000,
            use: [
              { category: 'Positions', perSecond: 0, waiting: 4, nextTurnAt: NOW_MS + 9_000_000 },
              { category: 'Accounts', perSecond: 0.25, waiting: 0 },
            ],
          },
        ],
      },
      SERVER,
    ] as DeskSummary['members'],
  },
}

const INVITATION = `headroom-desk-1.${'eyJzZXJ2ZXJzIjpbInRsczovL25h'.repeat(8)}.Zm9vYmFy`

const showPrograms = async (page: Page) => {
  await page.getByRole('button', { name: /^Programs/ }).click()
  await page.getByTestId('programs').waitFor()
}

const openSettings = async (page: Page) => {
  await page.keyboard.press('s')
  await page.getByTestId('storage').waitFor()
}

test('the page Programs shows the machines, their programs and the server', async ({ page, open }) => {
  await open(ON_DESK)
  await showPrograms(page)
  const desk = page.getByRole('region', { name: 'Desk', exact: true })
  await expect(desk.getByTestId('desk-machines')).toHaveText('3 machines, one queue')
  const machines = desk.getByRole('list', { name: 'Machines of the desk' }).getByRole('listitem')
  await expect(machines).toHaveCount(3)
  await expect(machines.nth(0)).toContainText('WORKSTATION')
  await expect(machines.nth(0)).toContainText('this machine')
  await expect(machines.nth(0)).toContainText('1.06/s')
  await expect(machines.nth(1)).toContainText('dashboard 0.25')
  await expect(machines.nth(2)).toContainText('risk 0.20')
  await expect(machines.nth(2)).toContainText('dispatches')
  await expect(desk.getByText('dispatches', { exact: true })).toHaveCount(1)
  const server = desk.getByRole('list', { name: 'Server of the desk' })
  await expect(server).toContainText('NATS ok')
  await expect(server).toContainText('round trip 1.4 ms')
  await expect(server).toContainText('nats.lan:4222')
  await expect(server).toContainText('WORKSTATION announces alerts')
  await expect(page.getByText('7 programs on 3 machines share this key')).toBeVisible()
  const rest = page.getByRole('row', { name: /^Desk other machines/ })
  await expect(rest).toContainText('checks and unlisted programs')
  await expect(page.getByRole('row', { name: /^Others outside the desk/ })).toBeVisible()
  expect(await problemsOf(page)).toEqual([])
})

test('programs of other machines are listed with their use and waits', async ({ page, open }) => {
  await open(WAITING)
  await showPrograms(page)
  const screener = page.locator('tr[data-machine=LAPTOP]')
  await expect(screener).toContainText('screener')
  await expect(screener).toContainText('background')
  await expect(screener).toContainText('4 waiting')
  await expect(screener).toContainText('longest 41 s')
  await expect(screener).toContainText('Accounts')
  await expect(screener.getByRole('button')).toHaveCount(0)
  await expect(page.locator('tr[data-machine=SERVER]')).toContainText('critical')
  const waiting = page.getByRole('region', { name: 'Waiting now', exact: true })
  await expect(waiting).toContainText('4 requests, in queue order')
  await expect(waiting.getByRole('region', { name: 'Positions' }).getByRole('listitem')).toContainText(
    /screener LAPTOP/,
  )
  expect(await problemsOf(page)).toEqual([])
})

test('a machine without programs lists those of the others', async ({ page, open }) => {
  await open({ ...WAITING, programs: [] })
  await showPrograms(page)
  await expect(
    page.getByRole('heading', { name: 'No program on this machine uses this key yet.' }),
  ).toBeVisible()
  await expect(page.locator('tr[data-machine]')).toHaveCount(2)
})

test('the plan has a row for each machine’s programs; its verdict counts them', async ({ page, open }) => {
  await open(WAITING)
  await page.getByRole('button', { name: 'Plan' }).click()
  const plan = page.getByTestId('plan')
  await expect(plan.locator('tbody[data-program="SERVER/risk"]')).toContainText('Order Details')
  const screener = plan.locator('tbody[data-program="LAPTOP/screener"]')
  await expect(screener.getByLabel('Class of LAPTOP/screener')).toHaveValue('background')
  const rate = screener.getByLabel('Requests per second of LAPTOP/screener, Accounts')
  await expect(rate).toHaveValue('0.25')
  await rate.fill('2')
  await rate.press('Enter')
  await expect(plan.getByTestId('plan-headline')).toContainText('Accounts')
  expect(await problemsOf(page)).toEqual([])
})

test('without a desk, no page shows anything of it', async ({ page, open }) => {
  await open(ALONE)
  await expect(page.locator('main').getByText(/desk/i)).toHaveCount(0)
  await expect(page.locator('[data-aspect=desk]')).toHaveCount(0)
  await showPrograms(page)
  await expect(page.locator('main').getByText(/desk/i)).toHaveCount(0)
  await expect(page.getByText('5 programs share this key')).toBeVisible()
})

test('rows, slots and the chart’s legend have the desk as a third part', async ({ page, open }) => {
  await open(ON_DESK)
  await expect(page.getByRole('columnheader', { name: 'Desk /s' })).toBeVisible()
  await expect(page.locator('tr[data-category=Balances]').getByTestId('desk-use')).toHaveText('0.2')
  const group = page.locator('[data-slots="Positions Stream"]')
  for (const [cell, count] of [
    ['own', 1],
    ['desk', 3],
    ['elsewhere', 2],
    ['free', 34],
  ] as const)
    await expect(group.locator(`[data-slot=${cell}]`)).toHaveCount(count)
  await expect(group).toHaveAttribute('title', /1 own, 3 by the desk, 2 by others, 34 of 40 free\./)
  await expect(page.locator('[data-history] [class*=legend]')).toContainText('desk')
})

test('a row’s details name the machine that received its last header', async ({ page, open }) => {
  const host = await open(ON_DESK)
  const details = { refusals: [], oddities: [], headersAt: NOW_MS, headers: { 'x-ratelimit-remaining': 192 } }
  host.answer('rowDetails', { ok: true, details: { ...details, from: 'SERVER' } })
  await page.getByRole('button', { name: 'Balances', exact: true }).click()
  await page.getByRole('button', { name: 'Details', exact: true }).click()
  const shown = page.getByRole('region', { name: 'Balances, details' })
  await expect(shown.getByRole('heading', { name: /^Last headers/ })).toHaveText(
    'Last headers · 14:31:05 · received by SERVER',
  )
  await expect(shown).toContainText('The desk uses')
  host.answer('rowDetails', { ok: true, details })
  await expect(shown.getByRole('heading', { name: /^Last headers/ })).toHaveText('Last headers · 14:31:05')
})

test('an unreachable desk is the headline, and its machines were last seen', async ({ page, open }) => {
  const host = await open({ ...ON_DESK, desk: DESK_ALONE })
  await expect(page.getByTestId('verdict-headline')).toHaveText(
    'Desk unreachable. Using a third of each quota.',
  )
  await expect(page.getByTestId('verdict-detail')).toContainText('Check the NATS server.')
  await page.getByRole('button', { name: 'Try now' }).click()
  expect(asked(host, 'tryNow')).toEqual([{ profile: 'main' }])
  await showPrograms(page)
  const desk = page.getByRole('region', { name: 'Desk', exact: true })
  await expect(desk.getByTestId('desk-machines')).toHaveText('1 of 3 machines')
  await expect(desk.getByTestId('desk-engine')).toHaveText('unreachable')
  await expect(desk.locator('[data-machine=WORKSTATION]')).toContainText('alone since 14:31:04')
  await expect(desk.locator('[data-machine=SERVER]')).toContainText('dispatched')
  await expect(desk.locator('[data-machine=LAPTOP]')).toContainText(/last seen \d\d:\d\d:\d\d/)
})

test('an invitation is shown on request, copied, and hidden with its dialog', async ({ page, open }) => {
  const host = await open(ON_DESK)
  host.answer('deskInvitation', { ok: true, invitation: INVITATION })
  const clipboard = await copied(page)
  await showPrograms(page)
  await page.getByRole('button', { name: '+ Invite…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite a machine' })
  await expect(dialog.getByRole('heading')).toBeFocused()
  expect(asked(host, 'deskInvitation')).toEqual([])
  await dialog.getByRole('button', { name: 'Show the invitation' }).click()
  await expect(dialog.getByTestId('invitation')).toHaveText(INVITATION)
  await expect(dialog).toContainText('Run headroom desk join there.')
  expect(await problemsOf(page, '[role=dialog]')).toEqual([])
  await dialog.getByRole('button', { name: 'Copy' }).click()
  expect(await clipboard()).toBe(INVITATION)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toHaveCount(0)
  expect(await page.locator('body').innerHTML()).not.toContain(INVITATION)
})

test('a desk is created in the settings, with main’s error next to its field', async ({ page, open }) => {
  const host = await open(ALONE)
  const refused = { ok: false, code: 'credentials', message: 'nats.lan:4222 rejected the credentials.' }
  host.answer('createDesk', refused)
  await openSettings(page)
  await page.getByRole('button', { name: 'Create a desk…' }).click()
  const dialog = page.getByRole('dialog')
  const create = dialog.getByRole('button', { name: 'Create a desk' })
  await create.click()
  const server = dialog.getByLabel('NATS server')
  await expect(server).toHaveAccessibleDescription('Enter an address, such as nats://localhost:4222.')
  expect(asked(host, 'createDesk')).toEqual([])
  await server.fill('tls://nats.lan:4222 tls://nats2.lan:4222')
  const credentials = dialog.getByLabel('Credentials for NATS')
  await credentials.fill('-----BEGIN NATS USER JWT-----\nabc\n-----END')
  await create.click()
  await expect(credentials).toHaveAccessibleDescription(refused.message)
  await expect(credentials).toHaveAttribute('aria-invalid', 'true')
  await expect(server).toHaveAttribute('aria-invalid', 'false')
  expect(asked(host, 'createDesk')).toEqual([
    {
      profile: 'main',
      servers: ['tls://nats.lan:4222', 'tls://nats2.lan:4222'],
      credentials: '-----BEGIN NATS USER JWT-----\nabc\n-----END',
    },
  ])
  expect(await problemsOf(page, '[role=dialog]')).toEqual([])
  host.answer('createDesk', { ok: true, invitation: INVITATION })
  await create.click()
  await expect(page.getByRole('dialog', { name: 'Desk created' }).getByTestId('invitation')).toHaveText(
    INVITATION,
  )
})

test('a desk is joined with a pasted invitation', async ({ page, open }) => {
  const host = await open(ALONE)
  host.answer('joinDesk', {
    ok: false,
    code: 'has-desk',
    message: 'This key already has a desk. Leave it first.',
  })
  await openSettings(page)
  await page.getByRole('button', { name: 'Join a desk…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Join a desk' })
  await dialog.getByLabel('Invitation').fill(INVITATION)
  await dialog.getByLabel('Name of this machine').fill('LAPTOP')
  await dialog.getByLabel('CA file').fill('/etc/ssl/nats.pem')
  const join = dialog.getByRole('button', { name: 'Join a desk' })
  await join.click()
  await expect(dialog.getByRole('alert')).toHaveText('This key already has a desk. Leave it first.')
  host.answer('joinDesk', { ok: false, code: 'rotated', message: 'This invitation was replaced.' })
  await join.click()
  await expect(dialog.getByLabel('Invitation')).toHaveAccessibleDescription('This invitation was replaced.')
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  host.answer('joinDesk', { ok: true })
  await join.click()
  await expect(dialog).toHaveCount(0)
  expect(asked(host, 'joinDesk').at(-1)).toEqual({
    ...{ profile: 'main', invitation: INVITATION, name: 'LAPTOP', tlsCa: '/etc/ssl/nats.pem' },
  })
})

test('a saved desk that can’t be used can be left from the form', async ({ page, open }) => {
  const host = await open(ALONE)
  host.answer('joinDesk', { ok: false, code: 'desk-lost', message: 'The saved desk is damaged.' })
  await openSettings(page)
  await page.getByRole('button', { name: 'Join a desk…' }).click()
  await page.getByLabel('Invitation').fill(INVITATION)
  await page.getByRole('button', { name: 'Join a desk' }).click()
  await page.getByRole('button', { name: 'Leave the saved desk…' }).click()
  const question = page.getByRole('alertdialog', { name: 'Leave the desk?' })
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await question.getByRole('button', { name: 'Leave', exact: true }).click()
  await expect.poll(() => asked(host, 'leaveDesk')).toEqual([{ profile: 'main' }])
  await expect(question).toHaveCount(0)
})

test('the secret is replaced after a question that names who must rejoin', async ({ page, open }) => {
  const host = await open(ON_DESK)
  host.answer('rotateDesk', { ok: true, invitation: INVITATION })
  await openSettings(page)
  await expect(page.getByTestId('desk-setting')).toHaveText('3 machines on this key’s desk.')
  await page.getByRole('button', { name: 'Replace the secret…' }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('Every other machine has to join again.')
  expect(asked(host, 'rotateDesk')).toEqual([])
  await question.getByRole('button', { name: 'Replace the secret' }).click()
  await expect(page.getByRole('dialog', { name: 'Secret replaced' }).getByTestId('invitation')).toHaveText(
    INVITATION,
  )
})

test('a rejected machine can leave, but not invite or replace the secret', async ({ page, open }) => {
  const refusal = { code: 'rotated', machine: 'SERVER' } as const
  await open({ ...ON_DESK, desk: { ...DESK, state: 'refused', refusal, members: DESK.members.slice(0, 1) } })
  await expect(page.getByTestId('verdict-headline')).toContainText(
    'The desk’s secret was replaced on SERVER.',
  )
  await openSettings(page)
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Leave…' })).toBeVisible()
  await expect(dialog.getByRole('button', { name: /Invite…|Replace the secret…/ })).toHaveCount(0)
})

for (const [width, height] of [
  [1440, 900],
  [1024, 700],
  [400, 800],
] as const)
  test(`nothing of a desk is cut off at ${width} × ${height}`, async ({ page, open }) => {
    await page.setViewportSize({ width, height })
    const long = 'a-machine-with-the-longest-name-possible'
    const members = (WAITING.desk ?? DESK).members.map((one, at) => (at === 1 ? { ...one, name: long } : one))
    await open({ ...ON_DESK, desk: { ...DESK, members, dispatcher: 'l', dropped: 1234 } })
    await expect.poll(() => layoutFaults(page)).toEqual([])
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('programs behind')
    await page.keyboard.press('Enter')
    await page.getByTestId('desk-machines').scrollIntoViewIfNeeded()
    expect((await overflow(page))[0]).toBe(0)
    // The scripted host has a 429 from before the start of the chart.
    const faults = (await layoutFaults(page)).filter((fault) => !/"429"|is over/.test(fault))
    expect(faults).toEqual([])
    await page.keyboard.press('Escape')
    await openSettings(page)
    expect(await layoutFaults(page)).toEqual([])
  })
