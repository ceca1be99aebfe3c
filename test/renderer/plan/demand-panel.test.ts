import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { runningPlan } from '../../../app/plan/running.ts'
import { planVerdict } from '../../../app/plan/verdict.ts'
import { DemandPanel } from '../../../renderer/plan/demand-panel.tsx'
import { draftOf, type PlanDraft } from '../../../renderer/state/plan-draft.ts'
import { quota, snapshot } from '../fixtures.ts'

/**
 * The row of Positions, as the panel's markup, with a new program of `perSecond`. Others' use is unknown
 * without `elsewhere`.
 */
function demandRow(perSecond: number, elsewhere?: number) {
  const use = elsewhere === undefined ? null : { total: elsewhere, own: 0, elsewhere }
  const requests = [quota('Positions', 320, 300, 200, { use })]
  const draft = draftOf('key-1', runningPlan(snapshot({ requests, slots: [], streams: [] })), 0)
  const bot = {
    name: 'bot',
    class: 'normal' as const,
    weight: 1,
    streams: [],
    requests: [{ category: 'Positions', perSecond, burst: 1 }],
  }
  const programs = [...draft.plan.programs, bot]
  const changed: PlanDraft = { ...draft, plan: { ...draft.plan, programs } }
  const panel = createElement(DemandPanel, { draft: changed, verdict: planVerdict(changed.plan) })
  const [row = ''] = /<tr data-demand="Positions".*?<\/tr>/.exec(renderToStaticMarkup(panel)) ?? []
  return (attribute: string) => new RegExp(`${attribute}="([^"]*)"`).exec(row)?.[1]
}

const DEMAND = 'Positions, demand as a share of the refill'

test('a quota of which others are not measured yet fits so far', () => {
  const row = demandRow(0.32)
  expect(row('data-severity')).toBe('unknown')
  expect(row('aria-label')).toBe(`${DEMAND}, others not measured yet`)
  expect(row('aria-valuetext')).toBe('30 %, fits so far')
})

test('a measured quota fits, with others’ estimate', () => {
  const row = demandRow(0.32, 0.2)
  expect(row('data-severity')).toBe('ok')
  expect(row('aria-label')).toBe(`${DEMAND}, others about 0.20/s (0.2/s)`)
  expect(row('aria-valuetext')).toBe('49 %, fits')
})

test('a quota that the plan alone exceeds does not fit, whatever others use', () => {
  const row = demandRow(1.6)
  expect(row('data-severity')).toBe('critical')
  expect(row('aria-valuetext')).toBe('150 %, does not fit')
})
