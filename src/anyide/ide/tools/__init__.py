"""The fifteen tools, one file each, in the order in which `tools/list` shows them.

To add one: write its file, put its value into `TOOLS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anyide.ide.tools.check_document_dirty import CHECK_DOCUMENT_DIRTY
from anyide.ide.tools.close_all_diff_tabs import CLOSE_ALL_DIFF_TABS
from anyide.ide.tools.close_tab import CLOSE_TAB
from anyide.ide.tools.execute_code import EXECUTE_CODE
from anyide.ide.tools.get_all_opened_file_paths import GET_ALL_OPENED_FILE_PATHS
from anyide.ide.tools.get_current_selection import GET_CURRENT_SELECTION
from anyide.ide.tools.get_diagnostics import GET_DIAGNOSTICS
from anyide.ide.tools.get_latest_selection import GET_LATEST_SELECTION
from anyide.ide.tools.get_open_editors import GET_OPEN_EDITORS
from anyide.ide.tools.get_workspace_folders import GET_WORKSPACE_FOLDERS
from anyide.ide.tools.open_diff import OPEN_DIFF
from anyide.ide.tools.open_file import OPEN_FILE
from anyide.ide.tools.open_files import OPEN_FILES
from anyide.ide.tools.reformat_file import REFORMAT_FILE
from anyide.ide.tools.save_document import SAVE_DOCUMENT
from anyide.ide.tools.tool import Tool

TOOLS: Mapping[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        OPEN_FILE,
        OPEN_DIFF,
        GET_CURRENT_SELECTION,
        GET_LATEST_SELECTION,
        GET_OPEN_EDITORS,
        GET_WORKSPACE_FOLDERS,
        GET_DIAGNOSTICS,
        CHECK_DOCUMENT_DIRTY,
        SAVE_DOCUMENT,
        CLOSE_TAB,
        CLOSE_ALL_DIFF_TABS,
        EXECUTE_CODE,
        OPEN_FILES,
        GET_ALL_OPENED_FILE_PATHS,
        REFORMAT_FILE,
    )
}
