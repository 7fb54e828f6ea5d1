import { ListPlus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useIsAtLeast } from '#api/account.tsx'
import type { ItemsToAdd, ListKind } from '#api/lists.ts'
import { Button } from '#ui/actions/button.tsx'
import type { SearchToAdd } from './search-items.ts'

const AddToListDialog = lazy(() => import('./add-to-list-dialog.tsx'))

interface AddToListButtonProps {
  account: string
  kind: ListKind
  /** Domains, ids or a search to add. */
  items: ItemsToAdd | SearchToAdd
  isSmall?: boolean
}

/** Opens the choice of a list, which is loaded then. */
export function AddToListButton({ account, kind, items, isSmall = false }: AddToListButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const isMember = useIsAtLeast('member')
  return (
    <>
      <Button
        isSmall={isSmall}
        onPress={() => setIsOpen(true)}
        aria-haspopup="dialog"
        disabledReason={isMember ? undefined : 'A viewer cannot change lists. Ask an admin of the account.'}
      >
        <ListPlus aria-hidden />
        Add to list
      </Button>
      {isOpen && (
        <Suspense>
          <AddToListDialog {...{ account, kind, items }} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
