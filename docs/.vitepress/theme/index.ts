// The default theme with the fonts of the system: nothing is loaded from the network. Our colours come after those of the theme.
import theme from 'vitepress/theme-without-fonts'
import './colours.css'

export default theme
