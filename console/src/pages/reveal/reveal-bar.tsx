import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useIsAtLeast } from '#api/account.tsx'
import { messageOf } from '#api/failure.ts'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/actions/button.tsx'
import { Link } from '#ui/actions/link.tsx'
import { classNames } from '#ui/class-names.ts'
import { quoteQuery } from './quote.ts'
import { useDebounced } from './use-debounced.ts'
import { costInWords, shortageOf } from './words.ts'

// Loaded with the first selection, so that it is there when it is asked for.
const loadDialog = () => import('./reveal-dialog.tsx')
const RevealDialog = lazy(loadDialog)

interface RevealBarProps {
  account: string
  selected: ReadonlySet<string>
  onClear: () => void
}

/** Appears with the first selected person: what a reveal would cost, as the server says, and the way to it. */
export function RevealBar({ account, selected, onClear }: RevealBarProps) {
  const [revealing, setRevealing] = useState<readonly string[]>()
  const bar = useRef<HTMLElement>(null)
  const mayReveal = useIsAtLeast('member')
  const isEmpty = selected.size === 0
  useEffect(() => {
    // A failure is told by the dialog, which tries again.
    if (!isEmpty) loadDialog().catch(() => undefined)
  }, [isEmpty])
  const close = (isDone: boolean) => {
    setRevealing(undefined)
    if (!isDone) return
    onClear()
    // The button that had the focus is gone with the selection.
    setTimeout(() => bar.current?.focus(), 50)
  }
  return (
    <section
      ref={bar}
      tabIndex={-1}
      aria-label="Selection"
      className={classNames(
        'sticky bottom-0 z-10 outline-none',
        selected.size > 0 && '-mx-4 border-line border-y bg-surface px-4 py-2',
      )}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="font-medium empty:hidden">
          {selected.size > 0 && `${formatNumber(selected.size)} selected`}
        </p>
        {selected.size > 0 && (
          <>
            <Quote account={account} selected={selected} />
            <span className="ml-auto flex gap-2">
              <Button variant="quiet" onPress={onClear}>
                Clear
              </Button>
              <Button
                variant="primary"
                onPress={() => setRevealing([...selected])}
                aria-haspopup="dialog"
                disabledReason={mayReveal ? undefined : 'A viewer cannot spend credits. Ask an admin of the account.'}
              >
                Reveal
              </Button>
            </span>
          </>
        )}
      </div>
      {revealing && (
        <Suspense>
          <RevealDialog account={account} ids={revealing} onClose={close} />
        </Suspense>
      )}
    </section>
  )
}

const quoteAfterMs = 200

function Quote({ account, selected }: Pick<RevealBarProps, 'account' | 'selected'>): ReactNode {
  const ids = useDebounced(selected, quoteAfterMs)
  const { data: quote, error, isPlaceholderData } = useQuery(quoteQuery(account, [...ids]))
  if (error) return <p className="text-danger-text">{messageOf(error)}</p>
  if (!quote) return null
  const shortage = shortageOf(quote)
  const isOld = isPlaceholderData || ids !== selected
  return (
    <p aria-live="polite" aria-busy={isOld} className={classNames('min-w-0', isOld && 'opacity-85')}>
      {costInWords(quote).join(', ')},{' '}
      {shortage ? (
        <>
          <span className="text-danger-text">{shortage}</span>. <Link href="/billing">Go to Billing</Link>
        </>
      ) : (
        `${formatNumber(quote.credits_after)} left afterwards`
      )}
    </p>
  )
}
