import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useIsAtLeast } from '#api/account.tsx'
import type { Count } from '#api/catalogue.ts'
import type { ContactQuestion } from '#lib/filters/request.ts'
import { Button } from '#ui/actions/button.tsx'
import { RevealMatching } from '../export-dialog/export-button.tsx'
import { AddToListButton } from '../lists/add-to-list-button.tsx'
import { itemsOfSearch } from '../lists/search-items.ts'
import { SelectionBar } from '../search/selection-bar.tsx'
import type { UsedSelection } from '../search/use-selection.ts'
import { MatchingQuote, SelectedQuote } from './bar-quote.tsx'

// Loaded with the first selection: the dialog then opens at once.
const loadDialog = () => import('./reveal-dialog.tsx')
const RevealDialog = lazy(loadDialog)

interface RevealBarProps {
  account: string
  selection: UsedSelection
  /** The search that the people are from, where all that match can be selected. */
  matching?: { question: ContactQuestion; count: Count<'countContacts'> | undefined }
}

/** The cost of revealing the selected contacts, as the server quotes it, and the button Reveal. */
export function RevealBar({ account, selection, matching }: RevealBarProps) {
  const { ids, isAll, clear } = selection
  const [revealing, setRevealing] = useState<readonly string[] | 'all'>()
  const bar = useRef<HTMLElement>(null)
  const mayReveal = useIsAtLeast('member')
  const isEmpty = ids.size === 0
  useEffect(() => {
    // The dialog shows a failure, and tries again.
    if (!isEmpty) loadDialog().catch(() => undefined)
  }, [isEmpty])
  const close = (isDone: boolean) => {
    setRevealing(undefined)
    if (!isDone) return
    clear()
    // The button that had the focus is gone with the selection.
    setTimeout(() => bar.current?.focus(), 50)
  }
  return (
    <SelectionBar
      ref={bar}
      selection={selection}
      count={matching?.count?.contacts}
      cost={
        isAll && matching ? (
          <MatchingQuote account={account} {...matching} />
        ) : (
          <SelectedQuote account={account} selected={ids} />
        )
      }
      actions={
        <>
          <AddToListButton
            account={account}
            kind="contacts"
            items={
              isAll && matching ? itemsOfSearch(matching.question, matching.count?.contacts) : { contact_ids: [...ids] }
            }
          />
          <Button
            variant="primary"
            onPress={() => setRevealing(isAll ? 'all' : [...ids])}
            aria-haspopup="dialog"
            disabledReason={mayReveal ? undefined : 'A viewer cannot spend credits. Ask an admin of the account.'}
          >
            Reveal
          </Button>
        </>
      }
    >
      {revealing === 'all'
        ? matching && (
            <RevealMatching
              account={account}
              query={matching.question}
              matches={matching.count?.contacts}
              onClose={() => close(false)}
            />
          )
        : revealing && (
            <Suspense>
              <RevealDialog account={account} ids={revealing} onClose={close} />
            </Suspense>
          )}
    </SelectionBar>
  )
}
