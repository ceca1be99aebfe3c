/** The registration of one open window with `Attention`. */
export interface Seat {
  setVisible(visible: boolean): void
  leave(): void
}

/** Whether at least one window is open and visible. */
export class Attention {
  readonly #visible = new Set<object>()

  get attended(): boolean {
    return this.#visible.size > 0
  }

  /** Registers an open window. It counts as visible until `setVisible(false)`. */
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
