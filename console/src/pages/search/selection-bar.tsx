import { type ReactNode, type Ref, useEffect, useRef } from 'react'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { classNames } from '#ui/class-names.ts'
import type { UsedSelection } from './use-selection.ts'

interface SelectionBarProps {
  selection: UsedSelection
  /** How many match, for the choice of all of them. */
  count: number | undefined
  ref?: Ref<HTMLElement>
  /** The cost, beside the count. */
  cost?: ReactNode
  /** The buttons at the end. */
  actions: ReactNode
  /** Dialogs, which stay open without a selection. */
  children?: ReactNode
}

/** Appears at the lower edge with the first selected row: how many there are, and what can be done with them. */
export function SelectionBar({ selection, count, ref, cost, actions, children }: SelectionBarProps) {
  const { ids, isAll, clear } = selection
  const isEmpty = ids.size === 0 && !isAll
  const all = count === undefined ? 'All that match' : `All ${formatNumber(count)} that match`
  const bar = useRef<HTMLElement>(null)
  useFocusKept(bar, isAll)
  return (
    <section
      ref={(element) => {
        bar.current = element
        if (typeof ref === 'function') ref(element)
        else if (ref) ref.current = element
      }}
      tabIndex={-1}
      aria-label="Selection"
      className={classNames(
        'sticky bottom-0 z-10 outline-none',
        !isEmpty && '-mx-4 border-line border-y bg-surface px-4 py-2',
      )}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="font-medium empty:hidden">
          {isAll ? `${all} selected` : !isEmpty && `${formatNumber(ids.size)} selected`}
        </p>
        {!isEmpty && (
          <>
            {cost}
            <span className="ml-auto flex flex-wrap gap-2">
              <Button variant="quiet" onPress={clear}>
                Clear
              </Button>
              {actions}
            </span>
          </>
        )}
      </div>
      {children}
    </section>
  )
}

/** The button that selects all is gone with the press on it. */
function useFocusKept(bar: { current: HTMLElement | null }, isAll: boolean): void {
  const wasAll = useRef(isAll)
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    if (isAll && !wasAll.current && isLost) bar.current?.focus()
    wasAll.current = isAll
  }, [bar, isAll])
}
