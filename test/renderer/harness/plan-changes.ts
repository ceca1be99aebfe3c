import type { CDPSession, Page } from '@playwright/test'

/** The cost of one change of a plan. */
export interface PlanChange {
  /** From the change to the frame after the one that shows its verdict, milliseconds. */
  readonly paintedMs: number
  /** The headline after the change. */
  readonly headline: string
}

interface Changes {
  /** The slider that is dragged, by its label. */
  readonly slider: string
  readonly count: number
  /** Pause between two changes, in milliseconds. */
  readonly pauseMs: number
}

/** Drags a slider of the page Plan step by step, back and forth, and waits for each verdict to be painted. */
export async function dragRate(
  page: Page,
  { slider, count, pauseMs }: Changes,
): Promise<readonly PlanChange[]> {
  return page.getByRole('slider', { name: slider }).evaluate(
    async (element, { count, pauseMs }) => {
      const input = element as HTMLInputElement
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {}
      if (set === undefined) throw new Error('an input has no value to set')
      const [least, most, step] = [Number(input.min), Number(input.max), Number(input.step)]
      const headline = () => document.querySelector('[data-testid=plan-headline]')?.textContent ?? ''
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const steps = Math.floor((most - least) / step)
      const changes: { paintedMs: number; headline: string }[] = []
      for (let at = 1; at <= count; at += 1) {
        // Each step is large enough to change the plan. The direction is reversed at the end.
        const place = (at * 7) % (2 * steps)
        const value = least + step * (place <= steps ? place : 2 * steps - place)
        const fromMs = performance.now()
        set.call(input, value.toFixed(2))
        input.dispatchEvent(new Event('input', { bubbles: true }))
        await frame()
        await frame()
        changes.push({ paintedMs: performance.now() - fromMs, headline: headline() })
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
      return changes
    },
    { count, pauseMs },
  )
}

/**
 * CPU time in milliseconds that the page's main thread has spent on tasks. It is the thread's own time, so
 * other work of the machine adds little.
 */
export async function taskMsOf(
  cdp: CDPSession,
): Promise<Readonly<Record<'task' | 'script' | 'layout' | 'style', number>>> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  const of = (name: string) => 1000 * (metrics.find((metric) => metric.name === name)?.value ?? Number.NaN)
  return {
    task: of('TaskDuration'),
    script: of('ScriptDuration'),
    layout: of('LayoutDuration'),
    style: of('RecalcStyleDuration'),
  }
}

/** Starts to measure the CPU time of a page. */
export async function taskTimeOf(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  return cdp
}
