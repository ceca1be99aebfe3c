; Electron keeps "Start at Login" in these two values, under the name that was passed to app.setAppUserModelId.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "app.headroom.desktop"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" "app.headroom.desktop"
  ${endIf}
!macroend
