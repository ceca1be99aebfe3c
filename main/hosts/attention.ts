/** One window, as far as attention goes. */
export interface Seat {
  setVisible(visible: boolean): void
  leave(): void
}

/** Whether anybody looks: at least one window is open and not hidden. */
export class Attention {
  readonly #visible = new Set<object>()

  get attended(): boolean {
    return this.#visible.size > 0
  }

  /** A window opens; it is visible until it says otherwise. */
  take(): Seat {
    const seat = {}
    this.#visible.add(seat)
    return {
      setVisible: (visible) => {
        if (visible) this.#visible.add(seat)
        else this.#visible.delete(seat)
      },
      leave: () => void this.#visible.delete(seat),
    }
  }
}
