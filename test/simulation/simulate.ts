import type { Story } from './story.ts'
import { type Report, World } from './world.ts'

/** Runs one story, with its tokens on a disk. A failure names the command that reproduces it. */
export async function simulate(seed: number, hours: number, story: Story): Promise<Report> {
  const world = new World(seed, story)
  const ms = hours * 3_600_000
  try {
    await world.takeDisk()
    world.connect()
    await world.live(ms)
    await world.settle()
    return world.report(ms)
  } catch (problem) {
    const at = (world.clock.monotonicMs() / 60_000).toFixed(2)
    const replay = `npm run simulate -- --seed ${seed} --hours ${hours}`
    throw new Error(`${String(problem)} (seed ${seed}, minute ${at}). See it again: ${replay}`, {
      cause: problem,
    })
  } finally {
    world.stop()
  }
}
