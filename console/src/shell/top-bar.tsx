import { Menu as MenuIcon, Search } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '#ui/actions/button.tsx'
import { Drawer } from '#ui/overlays/drawer.tsx'
import { AccountMenu, AccountSwitcher } from './account-menus.tsx'
import { KeyHint, paletteKeys, useKeyboard } from './keyboard/keyboard-context.tsx'
import { NavigationList } from './navigation-list.tsx'

export function TopBar() {
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const { openPalette } = useKeyboard()
  return (
    <header className="sticky top-0 z-20 flex h-12 items-center gap-2 border-line border-b bg-surface px-2 sm:px-4">
      <IconButton
        label="Menu"
        icon={<MenuIcon aria-hidden />}
        onPress={() => setIsMenuOpen(true)}
        aria-haspopup="dialog"
        className="md:hidden"
      />
      <Drawer title="Storedex" isOpen={isMenuOpen} onClose={() => setIsMenuOpen(false)}>
        <NavigationList onNavigate={() => setIsMenuOpen(false)} />
      </Drawer>
      <AccountSwitcher />
      <div className="flex-1" />
      <Button variant="secondary" isSmall onPress={openPalette} aria-haspopup="dialog">
        <Search aria-hidden />
        <span className="sr-only text-muted sm:not-sr-only">Go to</span>
        <span aria-hidden className="hidden sm:contents">
          <KeyHint keys={paletteKeys} />
        </span>
      </Button>
      <AccountMenu />
    </header>
  )
}
