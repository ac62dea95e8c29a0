// A quiet sound for a new ask, for those who want one. Off unless switched on; made here, so nothing is loaded.

import { useState } from 'react'

const key = 'assent-sound'
/** Two soft notes, a fifth apart. */
const notesHz = [523.25, 783.99]
const noteSeconds = 0.22
const loudest = 0.06

let audio: AudioContext | undefined

export function chime(): void {
  audio ??= new AudioContext()
  const { currentTime, destination } = audio
  notesHz.forEach((hz, at) => {
    if (audio === undefined) return
    const begins = currentTime + at * noteSeconds * 0.6
    const [note, loudness] = [audio.createOscillator(), audio.createGain()]
    note.type = 'sine'
    note.frequency.value = hz
    loudness.gain.setValueAtTime(0, begins)
    loudness.gain.linearRampToValueAtTime(loudest, begins + 0.02)
    loudness.gain.exponentialRampToValueAtTime(0.0001, begins + noteSeconds)
    note.connect(loudness).connect(destination)
    note.start(begins)
    note.stop(begins + noteSeconds)
  })
  // A browser lets a page sound only after somebody has used it; until then it stays silent, and that is no trouble.
  void audio.resume().catch(() => undefined)
}

export function useSound(): { readonly isOn: boolean; readonly toggle: () => void } {
  const [isOn, setOn] = useState(() => localStorage.getItem(key) === 'on')
  const toggle = () => {
    localStorage.setItem(key, isOn ? 'off' : 'on')
    setOn(!isOn)
    // Whoever switches it on hears what it will be.
    if (!isOn) chime()
  }
  return { isOn, toggle }
}

/** As it is now, whichever tab it was switched in. */
export function isSoundOn(): boolean {
  return localStorage.getItem(key) === 'on'
}
