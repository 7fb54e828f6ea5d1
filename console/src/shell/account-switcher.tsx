import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown } from 'lucide-react'
import { useAccounts } from '#api/account.tsx'
import { Button } from '#ui/actions/button.tsx'
import { Menu, MenuItem, MenuSection } from '#ui/actions/menu.tsx'

/** The account that this tab works for; a choice where there are several. */
export function AccountSwitcher() {
  const { accounts, current } = useAccounts()
  const switchAccount = useSwitchAccount()
  if (!current) return null
  if (accounts.length === 1) return <span className="min-w-0 truncate px-2 font-medium">{current.name}</span>
  const trigger = (
    <Button variant="quiet" aria-label={`Account ${current.name}`} className="min-w-0 shrink">
      <span className="max-w-40 truncate sm:max-w-72">{current.name}</span>
      <ChevronsUpDown aria-hidden className="text-muted" />
    </Button>
  )
  return (
    <Menu trigger={trigger} label="Accounts">
      <MenuSection
        title="Accounts"
        selection={{ mode: 'single', selected: [current.id], onChange: ([id]) => id && switchAccount(id) }}
      >
        {accounts.map(({ id, name }) => (
          <MenuItem key={id} id={id}>
            {name}
          </MenuItem>
        ))}
      </MenuSection>
    </Menu>
  )
}

/** Stays on the page, without its filters and place in a list: they belong to the account before. */
export function useSwitchAccount(): (id: string) => void {
  const { switchTo } = useAccounts()
  const navigate = useNavigate()
  return (id) => {
    void navigate({ to: '.', search: {} as never })
    switchTo(id)
  }
}
