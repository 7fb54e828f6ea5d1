import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { messageOf } from '#api/failure.ts'
import { useSaveSetting, useSetting } from '#api/settings.ts'
import { parseColumns } from '#lib/column-choice.ts'
import { useAhead } from '#lib/use-ahead.ts'
import { showToast } from '#ui/feedback/toasts.tsx'

interface ColumnChoice {
  chosen: readonly string[]
  choose: (ids: string[]) => void
}

/** Columns by the address, else as the person has chosen them before, else those of the page. A choice goes into both. */
export function useColumnChoice(
  page: '/stores' | '/people',
  known: readonly string[],
  defaults: readonly string[],
  inAddress: string | undefined,
): ColumnChoice {
  const saved = useSetting('columns', page)
  const saveSetting = useSaveSetting()
  const navigate = useNavigate()
  const keep = (ids: readonly string[]) => {
    void navigate({
      to: page,
      search: (search) => ({ ...search, columns: ids.join(' ') }),
      state: true,
      replace: true,
      resetScroll: false,
    })
    saveSetting({ group: 'columns', name: page, value: ids }).catch((error) =>
      showToast(`The columns are not kept for next time: ${messageOf(error)}`),
    )
  }
  const current = useMemo(
    () => parseColumns(known, inAddress) ?? parseColumns(known, saved) ?? defaults,
    [known, inAddress, saved, defaults],
  )
  const [chosen, choose] = useAhead<readonly string[]>(current, keep)
  return { chosen, choose }
}
