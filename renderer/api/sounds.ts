import type { AlertSeverity } from '../../app/contract/alerts.ts'

/** One tone: frequency in Hz, start and length in seconds. */
export interface SoundTone {
  readonly hertz: number
  readonly startSeconds: number
  readonly lengthSeconds: number
}

const TONE_SECONDS = 0.14
const GAP_SECONDS = 0.06

/** The tones of a severity: three high tones for critical, two for a warning, one low tone for a recovery. */
export function tonesOf(severity: AlertSeverity): readonly SoundTone[] {
  return FREQUENCIES[severity].map((hertz, index) => ({
    hertz,
    startSeconds: index * (TONE_SECONDS + GAP_SECONDS),
    lengthSeconds: TONE_SECONDS,
  }))
}

const FREQUENCIES: Readonly<Record<AlertSeverity, readonly number[]>> = {
  critical: [988, 988, 1319],
  warning: [659, 784],
  ok: [523],
}

const LOUDNESS = 0.2
const FADE_SECONDS = 0.015

/** Plays generated tones. Browsers stay silent until a person has clicked in the page. */
export class Sounds {
  readonly #create: () => AudioContext
  #context: AudioContext | undefined

  constructor(create: () => AudioContext) {
    this.#create = create
  }

  /** Does nothing if the machine has no sound. */
  play(severity: AlertSeverity): void {
    try {
      this.#context ??= this.#create()
      void this.#context.resume()
      for (const tone of tonesOf(severity)) this.#tone(this.#context, tone)
    } catch {
      this.#context = undefined
    }
  }

  #tone(context: AudioContext, { hertz, startSeconds, lengthSeconds }: SoundTone): void {
    const oscillator = context.createOscillator()
    const gain = context.createGain()
    const start = context.currentTime + startSeconds
    const end = start + lengthSeconds
    oscillator.frequency.value = hertz
    // Without a fade, a tone would begin and end with a click.
    gain.gain.setValueAtTime(0, start)
    gain.gain.linearRampToValueAtTime(LOUDNESS, start + FADE_SECONDS)
    gain.gain.setValueAtTime(LOUDNESS, end - FADE_SECONDS)
    gain.gain.linearRampToValueAtTime(0, end)
    oscillator.connect(gain).connect(context.destination)
    oscillator.start(start)
    oscillator.stop(end)
  }
}
